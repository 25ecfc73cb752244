"""Robust: an order learned from people who err, how far to trust each, and how sure to be.

`recordings` numbers steps by place and counts equal recordings once. `pair_mixture` makes a first
order from pairs of steps on their own; `demonstrators` is the model of people who err, and `search`
improves the order under it; `confidence` says how probable each pair and each edge is; `learner`
puts these together.
"""

from stepgraph.learners.robust.learner import Robust

__all__ = ["Robust"]
