from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.errors import SettingError
from stepgraph.learners.transformer.layers import FirstWeights, LayerKind
from stepgraph.learners.transformer.model import Shape, TaskGraphTransformer

SMALL = Shape(features=6, width=8, dropout=0.0)


def network(shape: Shape = SMALL, seed: int = 0) -> TaskGraphTransformer:
    """Return a network with a last layer that is not 0, so that its rows are not even."""
    own = TaskGraphTransformer(shape, seed).eval()
    with torch.no_grad():
        last = own.score[-1].weight
        assert isinstance(last, torch.Tensor)
        last.normal_(generator=torch.Generator().manual_seed(1))
    return own


def embeddings(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@given(steps=st.integers(1, 7), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_rows_sum_to_one_and_impossible_edges_weigh_nothing(steps: int, seed: int) -> None:
    Z = network(seed=seed)(embeddings(1, steps, 6, seed=seed)).Z[0]
    assert torch.allclose(Z[1:].sum(-1), torch.ones(steps + 1))
    assert not Z[0].any(), "START needs nothing"
    assert not Z[:, -1].any(), "nothing needs END"
    assert not Z.diagonal().any(), "nothing needs itself"


@given(order=st.permutations(range(5)), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_another_order_of_the_same_steps_only_permutes_the_matrix(
    order: list[int], seed: int
) -> None:
    own, given_steps = network(seed=seed), embeddings(1, 5, 6, seed=seed)
    nodes = [0, *(place + 1 for place in order), 6]
    expected = own(given_steps).Z[0][nodes][:, nodes]
    assert torch.allclose(own(given_steps[:, order]).Z[0], expected, atol=1e-5)


def test_padding_changes_nothing() -> None:
    own, short, long = network(), embeddings(3, 6), embeddings(5, 6, seed=1)
    padded = torch.zeros(2, 5, 6)
    padded[0, :3], padded[1] = short, long
    both = own(padded, torch.tensor([3, 5])).Z
    assert torch.allclose(both[0, :5, :5], own(short[None]).Z[0], atol=1e-5)
    assert torch.allclose(both[1], own(long[None]).Z[0], atol=1e-5)
    assert not both[0, 5:].any()
    assert not both[0, :, 5:].any()


def test_key_steps_attend_to_each_other_in_the_encoder() -> None:
    own, before = network(), embeddings(1, 4, 6)
    after = before.clone()
    after[0, 3, 0] += 3.0
    changed = (own(before).nodes - own(after).nodes).abs().amax(-1)[0]
    assert (changed[:4] > 1e-4).all(), "START and the other steps see the one that changed"


def test_rows_begin_even() -> None:
    Z = TaskGraphTransformer(SMALL)(embeddings(1, 4, 6)).Z[0]
    assert torch.allclose(Z[1, [0, 2, 3, 4]], torch.full((4,), 0.25))


def test_the_seed_makes_the_weights() -> None:
    one, same, other = (TaskGraphTransformer(SMALL, seed).state_dict() for seed in (3, 3, 4))
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not all(torch.equal(one[name], other[name]) for name in one)


def test_embeddings_of_the_networks_own_width_are_not_projected() -> None:
    assert TaskGraphTransformer(Shape(features=8, width=8)).project is None


def test_embeddings_of_another_width_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(1, 4, 5\); expected \(procedures, steps, 6\)"):
        network()(embeddings(1, 4, 5))


@pytest.mark.parametrize(
    ("settings_given", "message"),
    [
        ({"heads": 3}, "divide both the width and 16"),
        ({"dropout": 1.0}, "below 1"),
        ({"width": 0}, "from 1 on"),
        ({"relation_heads": 3}, "relation_heads is 3 .*twice the width and 16"),
        ({"feed_forward": -1}, "feed_forward is -1"),
        ({"relation_feed_forward": 0.5}, "relation_feed_forward is 0.5"),
        ({"hidden_layers": -1}, "hidden_layers is -1"),
        ({"all_pairs_up_to": -1}, "all_pairs_up_to is -1"),
        ({"layer": "odd"}, "layer is 'odd'; expected one of pre-norm, standard"),
        ({"normalise": 1}, "normalise is 1; expected True or False"),
        ({"auxiliary_token": "yes"}, "auxiliary_token is 'yes'"),
    ],
)
def test_shapes_that_cannot_be_are_refused(settings_given: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        Shape(6, **settings_given)


def test_many_nodes_attend_within_their_rows_only() -> None:
    wide = Shape(features=6, width=8, dropout=0.0, all_pairs_up_to=5)
    own, short, long = network(wide), embeddings(4, 6), embeddings(5, 6, seed=1)
    padded = torch.zeros(2, 5, 6)
    padded[0, :4], padded[1] = short, long
    both = own(padded, torch.tensor([4, 5])).Z
    assert torch.allclose(both[0, :6, :6], own(short[None]).Z[0], atol=1e-5)
    assert torch.allclose(both[:, 1:6].sum(-1), torch.ones(2, 5), atol=1e-5)
    assert not torch.allclose(network()(short[None]).Z, own(short[None]).Z, atol=1e-4)


PAPER = Shape(
    6,
    6,
    heads=1,
    dropout=0.0,
    all_pairs_up_to=0,
    relation_heads=2,
    hidden_layers=0,
    layer=LayerKind.STANDARD,
    normalise=False,
    auxiliary_token=True,
)


@given(steps=st.integers(1, 7), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_weight_on_the_auxiliary_token_is_missing_from_the_rows(steps: int, seed: int) -> None:
    own = TaskGraphTransformer(PAPER, seed, FirstWeights.STANDARD).eval()
    found = own(embeddings(1, steps, 6, seed=seed))
    assert found.lost is not None
    assert torch.allclose((found.Z.sum(-1) + found.lost)[0, 1:], torch.ones(steps + 1))
    assert (found.lost[0, 1:] > 0).all()
    assert not found.Z[0, 0].any(), "START needs nothing"
    assert not found.Z[0, :, -1].any(), "nothing needs END"
    assert found.nodes.shape[1] == steps + 4, "both tokens are told apart from the nodes"


def test_padding_changes_nothing_beside_auxiliary_tokens() -> None:
    own = TaskGraphTransformer(PAPER, 1, FirstWeights.STANDARD).eval()
    short, long = embeddings(3, 6), embeddings(5, 6, seed=1)
    padded = torch.zeros(2, 5, 6)
    padded[0, :3], padded[1] = short, long
    both, alone = own(padded, torch.tensor([3, 5])), own(short[None])
    assert torch.allclose(both.Z[0, :5, :5], alone.Z[0], atol=1e-5)
    assert torch.allclose(both.lost[0, :5], alone.lost[0], atol=1e-5)
    assert not both.Z[0, 5:].any()
    assert both.mask.sum(-1).tolist() == [7, 9]


def test_any_number_of_pairs_attend_to_each_other_if_there_is_no_limit() -> None:
    limits = [network(replace(SMALL, all_pairs_up_to=limit)) for limit in (0, 99, 3)]
    unlimited, high, low = (own(embeddings(1, 4, 6)).Z for own in limits)
    assert torch.equal(unlimited, high)
    assert not torch.allclose(unlimited, low, atol=1e-4)


def test_embeddings_count_as_they_are_unless_they_are_normalised() -> None:
    vectors = embeddings(1, 4, 6)
    assert torch.allclose(network()(vectors).Z, network()(5 * vectors).Z, atol=1e-4)
    raw = network(replace(SMALL, normalise=False))
    assert not torch.allclose(raw(vectors).Z, raw(5 * vectors).Z, atol=1e-4)
