"""The method `robust`: an order, the trust in each recording, the confidence in each edge.

`demonstrators` holds the recordings and the model of the people who made them; `search` makes a
first order from single pairs of steps and improves it under that model; `confidence` gives the
probability of each pair and each edge; `learner` puts these together.
"""

from stepgraph.learners.robust.learner import Robust

__all__ = ["Robust"]
