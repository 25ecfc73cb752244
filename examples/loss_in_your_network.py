# %% [markdown]
# # The TGML loss in your own network
#
# Any network that puts out a matrix of weights, row = step, column = what it needs, can be trained
# by `TGMLLoss`. This one sees only a random vector for each step. It needs
# `pip install 'stepgraph[torch]'`.

# %%
import torch

from stepgraph import Demonstrations
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.learners.tgml.batches import SequenceBatch
from stepgraph.learners.tgml.loss import TGMLLoss
from stepgraph.postprocess import to_graph

recordings = Demonstrations.from_steps(
    [["crack egg", "add milk", "mix", "fry"], ["add milk", "crack egg", "mix", "fry"]]
)
nodes = len(recordings.vocabulary) + 2  # START is 0, END is the last
batch = SequenceBatch([[recording.steps for recording in recordings]], sizes=[nodes])

# %% [markdown]
# ## The network
#
# It may be anything. Where no edge can be, the scores are masked: no step needs itself or END, and
# START needs nothing.

# %%
torch.manual_seed(0)
features = torch.randn(nodes, 8)
network = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, nodes))
impossible = torch.eye(nodes, dtype=torch.bool)
impossible[:-1, -1] = True


def weights() -> torch.Tensor:
    """Return the matrix of weights: each row sums to one."""
    return torch.softmax(network(features).masked_fill(impossible, -1e9), dim=-1)


# %% [markdown]
# ## Training
#
# The loss asks that what a row points at comes first in every recording. START always does, so a
# network soon points all rows at START, which is right and says nothing. Of rows that are equally
# right the most even one is wanted: the entropy of the rows does that.

# %%
loss = TGMLLoss(beta=0.1, epsilon=1e-6)
optimiser = torch.optim.Adam(network.parameters(), lr=0.02)
losses = []
for _ in range(100):
    Z = weights()
    entropy = -(Z * (Z + 1e-9).log()).sum()
    value = loss(Z, batch)
    optimiser.zero_grad()
    (value - 0.3 * entropy).backward()
    optimiser.step()
    losses.append(value.item())
print(f"TGML loss: {losses[0]:.1f} at first, {losses[-1]:.1f} at last")

# %% [markdown]
# ## The graph in the weights

# %%
matrix = weights().detach().numpy()
matrix[0] = 0  # START needs nothing
graph = to_graph(WeightedAdjacency(recordings.vocabulary, matrix)).graph
graph

# %%
if graph.preconditions_of("mix") != ("crack egg", "add milk"):
    raise SystemExit("the network did not learn what mixing needs")
