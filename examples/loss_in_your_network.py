"""Train a network of your own with the TGML loss. Needs pip install 'tgml[torch]'."""

from __future__ import annotations

import torch

from tgml.learners.batching import SequenceBatch
from tgml.learners.likelihood import TGMLLoss

torch.manual_seed(0)
# One procedure of three steps: 1 and 2 in either order, then 3. START is 0 and END is 4.
batch = SequenceBatch([[(1, 2, 3), (2, 1, 3)]], sizes=[5])
features = torch.randn(5, 8)
network = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 5))
optimiser = torch.optim.Adam(network.parameters(), lr=0.02)
loss = TGMLLoss(beta=0.005, epsilon=1e-6)

first = last = 0.0
for epoch in range(100):
    value = loss(torch.softmax(network(features), dim=-1), batch)
    optimiser.zero_grad()
    value.backward()
    optimiser.step()
    last = float(value)
    first = first if epoch else last
print(f"loss: {first:.2f} at first, {last:.2f} at last")
if last >= first:
    raise SystemExit("the loss did not fall")
