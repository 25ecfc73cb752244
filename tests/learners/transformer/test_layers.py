from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from stepgraph.learners.transformer.layers import (
    Dropout,
    FirstWeights,
    StandardLayer,
    draw_weights,
    perceptron,
)
from stepgraph.learners.transformer.model import Shape, TaskGraphTransformer


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(0))


def torch_layer(own: StandardLayer, heads: int, feed_forward: int) -> nn.TransformerEncoderLayer:
    """Return torch's own layer with the weights of ours."""
    layer = nn.TransformerEncoderLayer(8, heads, feed_forward, 0.0, batch_first=True)
    first, last = own.perceptron[0], own.perceptron[-1]
    pairs = [
        (layer.self_attn.in_proj_weight, own.queries_keys_values.weight),
        (layer.self_attn.in_proj_bias, own.queries_keys_values.bias),
        (layer.self_attn.out_proj.weight, own.attended.weight),
        (layer.self_attn.out_proj.bias, own.attended.bias),
        (layer.linear1.weight, first.weight),
        (layer.linear1.bias, first.bias),
        (layer.linear2.weight, last.weight),
        (layer.linear2.bias, last.bias),
    ]
    with torch.no_grad():
        for theirs, ours in pairs:
            assert isinstance(ours, torch.Tensor)
            theirs.copy_(ours)
    return layer


@pytest.mark.parametrize(("heads", "feed_forward"), [(1, 8), (2, 5)])
def test_a_standard_layer_is_torchs(heads: int, feed_forward: int) -> None:
    own = StandardLayer(8, heads, 0.0, feed_forward)
    vectors = drawn(2, 5, 8)
    expected = torch_layer(own, heads, feed_forward)
    assert torch.allclose(own(vectors), expected(vectors), atol=1e-5)
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    masked = expected(vectors, src_key_padding_mask=~mask)
    assert torch.allclose(own(vectors, mask)[mask], masked[mask], atol=1e-5)


def test_a_standard_layer_drops_attention_weights_and_inner_units_too() -> None:
    own = StandardLayer(8, 2, 0.5)
    seen: list[torch.Size] = []
    own.dropout.register_forward_hook(lambda _, values, __: seen.append(values[0].shape))
    own(drawn(1, 5, 8))
    assert seen == [(1, 2, 5, 5), (1, 5, 8), (1, 5, 16), (1, 5, 8)]
    own.eval()
    assert torch.equal(own(drawn(1, 5, 8)), own(drawn(1, 5, 8)))


def test_attention_without_dropout_is_that_of_a_share_near_zero() -> None:
    own = StandardLayer(8, 2, 1e-12)
    vectors, mask = drawn(2, 5, 8), torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    assert torch.allclose(own(vectors, mask), own.eval()(vectors, mask), atol=1e-5)


def test_dropped_values_are_made_up_for() -> None:
    values = Dropout(0.25)(torch.ones(10_000))
    assert values.unique().tolist() == pytest.approx([0.0, 4 / 3])
    assert values.mean().item() == pytest.approx(1.0, abs=0.05)


def test_a_perceptron_without_hidden_layers_is_a_linear_map() -> None:
    assert [type(layer) for layer in perceptron(4, 2, 0)] == [nn.Linear]
    hidden = [nn.Linear, nn.GELU, nn.Linear, nn.GELU, nn.Linear]
    assert [type(layer) for layer in perceptron(4, 2, 2)] == hidden


def test_standard_weights_are_spread_as_torch_draws_them() -> None:
    network = TaskGraphTransformer(
        Shape(64, 64, heads=1, auxiliary_token=True), 0, FirstWeights.STANDARD
    )
    theirs = nn.TransformerEncoderLayer(128, 2, 256)
    ours = network.relations.state_dict()
    for name, expected in (
        ("queries_keys_values", theirs.self_attn.in_proj_weight),
        ("attended", theirs.self_attn.out_proj.weight),
        ("perceptron.0", theirs.linear1.weight),
    ):
        spread = ours[f"{name}.weight"].std().item()
        assert spread == pytest.approx(expected.std().item(), rel=0.03)
    assert not ours["queries_keys_values.bias"].any()
    assert not ours["attended.bias"].any()
    last = network.score[-1]
    assert isinstance(last, nn.Linear)
    assert 0 < last.bias.abs().max().item() <= 1 / math.sqrt(last.in_features)
    tokens = torch.stack([network.start, network.end, network.before_start, network.after_end])
    assert tokens.std().item() == pytest.approx(1.0, abs=0.2)


def test_the_generator_makes_the_weights() -> None:
    one, same = (perceptron(4, 2, 1) for _ in range(2))
    for own in (one, same):
        draw_weights(own, torch.Generator().manual_seed(1), FirstWeights.STANDARD)
    assert torch.equal(one[0].weight, same[0].weight)  # type: ignore[arg-type]
