# %% [markdown]
# # The TGML loss with a DataLoader
#
# One network learns several procedures at once. They have different numbers of steps, so a batch
# pads their features, and `SequenceBatch` knows which entries count. The same code runs on a CPU
# and on a GPU. It needs `pip install 'stepgraph[torch]'`.

# %%
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from stepgraph.evaluation import compare_edges, macro_average
from stepgraph.graph.adjacency import WeightedAdjacency
from stepgraph.learners.tgml.batches import SequenceBatch
from stepgraph.learners.tgml.loss import TGMLLoss
from stepgraph.postprocess import to_graph
from stepgraph.procedures import load_procedure, procedure_names

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
procedures = [load_procedure(name) for name in procedure_names()]
for procedure in procedures:
    print(f"{procedure.name}: {len(procedure.graph.steps)} steps")

# %% [markdown]
# ## The data
#
# An item is a procedure: a vector for each node, here a random one, and its recordings.
# `SequenceBatch.from_demonstrations` takes the recordings of all procedures of a batch; equal ones
# count once, with their number as weight.

# %%
torch.manual_seed(0)
WIDTH = 64
items = []
for procedure in procedures:
    recordings = procedure.demonstrations.without_marked_mistakes()
    nodes = len(recordings.vocabulary) + 2  # START is 0, END is the last
    items.append((torch.randn(nodes, WIDTH), recordings))


def collate(some):
    """Return the features, padded to the largest procedure, and the sequences."""
    features, recordings = zip(*some, strict=True)
    return pad_sequence(features, batch_first=True), SequenceBatch.from_demonstrations(recordings)


loader = DataLoader(
    items,
    batch_size=3,
    shuffle=True,
    collate_fn=collate,
    pin_memory=device.type == "cuda",
    generator=torch.Generator().manual_seed(0),
)

# %% [markdown]
# ## The network
#
# It scores each pair of nodes. Impossible edges are masked: no step needs itself, END or a node
# that its procedure does not have, and START needs nothing.


# %%
class Pairs(torch.nn.Module):
    """Scores how much each node needs each other, and makes rows of weights of the scores."""

    def __init__(self):
        super().__init__()
        self.needs = torch.nn.Linear(WIDTH, WIDTH)
        self.is_needed = torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, features, sizes):
        """Return Z for procedures of these sizes: (procedures, nodes, nodes)."""
        scores = self.needs(features) @ self.is_needed(features).transpose(1, 2) / WIDTH**0.5
        node = torch.arange(features.shape[1], device=features.device)
        end = torch.tensor(sizes, device=features.device)[:, None] - 1
        row = (node > 0) & (node <= end)
        column = node < end
        possible = row[:, :, None] & column[:, None, :] & (node[:, None] != node)
        return torch.softmax(scores.masked_fill(~possible, -1e9), dim=-1) * possible


# %% [markdown]
# ## Training
#
# `.to` moves a batch as it moves a tensor. The mean over recordings keeps the step of the optimiser
# the same, however many recordings a batch holds. The entropy prefers even rows, as in the example
# `loss_in_your_network`.

# %%
network = Pairs().to(device)
loss = TGMLLoss(beta=0.05, epsilon=1e-6, reduction="mean")
optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
losses = []
for _ in range(100):
    total = 0.0
    for features, sequences in loader:
        features = features.to(device, non_blocking=True)
        sequences = sequences.to(device, non_blocking=True)
        Z = network(features, sequences.sizes)
        entropy = -(Z * (Z + 1e-9).log()).sum()
        value = loss(Z, sequences)
        optimiser.zero_grad()
        (value - entropy / len(sequences)).backward()
        optimiser.step()
        total += value.item()
    losses.append(total / len(loader))
print(loss)
print(f"mean loss of a recording: {losses[0]:.0f} at first, {losses[-1]:.0f} at last")

# %% [markdown]
# ## The graphs in the weights

# %%
scores = []
network.eval()
for (features, recordings), procedure in zip(items, procedures, strict=True):
    with torch.inference_mode():
        Z = network(features[None].to(device), [len(features)])[0].cpu().numpy()
    graph = to_graph(WeightedAdjacency(recordings.vocabulary, Z)).graph
    scores.append(compare_edges(graph, procedure.graph))
f1 = macro_average(scores)[2]
print(f"F1 against the known graphs: {f1:.1f}")

# %%
if f1 < 0.8:
    raise SystemExit("the network did not learn the graphs")
