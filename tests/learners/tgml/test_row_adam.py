from __future__ import annotations

import torch
from torch import Tensor, nn

from stepgraph.learners.tgml.row_adam import RowAdam


def _gradient(scores: Tensor, step: int) -> Tensor:
    return torch.sin(scores.detach() * (step + 1)) + 0.1


def test_it_equals_torch_adam_where_all_rows_move() -> None:
    start = torch.randn((2, 1, 4, 4), generator=torch.Generator().manual_seed(0))
    ours, theirs = nn.Parameter(start.clone()), nn.Parameter(start.clone())
    row_adam, adam = RowAdam(ours, 0.1), torch.optim.Adam([theirs], lr=0.1)
    for step in range(30):
        ours.grad, theirs.grad = _gradient(ours, step), _gradient(theirs, step)
        row_adam.step()
        adam.step()
    torch.testing.assert_close(ours, theirs)


def test_a_resting_row_stays_to_the_bit_and_the_others_move() -> None:
    scores = nn.Parameter(torch.zeros((1, 1, 3, 3)))
    optimizer = RowAdam(scores, 0.1)
    optimizer.moving = torch.tensor([[[True, False, True]]])
    for step in range(5):
        scores.grad = _gradient(scores, step)
        optimizer.step()
    assert torch.equal(scores[0, 0, 1], torch.zeros(3))
    assert (scores[0, 0, [0, 2]] != 0).all()


def test_a_part_goes_on_as_the_whole_would_have() -> None:
    whole = nn.Parameter(torch.ones((1, 3, 2, 2)))
    optimizer = RowAdam(whole, 0.1)
    for step in range(3):
        whole.grad = _gradient(whole, step)
        optimizer.step()
    part = nn.Parameter(whole.detach()[:, [0, 2]].clone())
    continued = optimizer.for_part(part, [0, 2])
    whole.grad, part.grad = _gradient(whole, 3), _gradient(part, 3)
    optimizer.step()
    continued.step()
    assert torch.equal(part, whole[:, [0, 2]])
