"""Robust: an order learned from people who err, how far to trust each, and how sure to be.

`demonstrators` holds the recordings and the model of the people who made them; `search` makes a
first order from pairs of steps on their own and improves it under that model; `confidence` says how
probable each pair and each edge is; `learner` puts these together.
"""

from stepgraph.learners.robust.learner import Robust

__all__ = ["Robust"]
