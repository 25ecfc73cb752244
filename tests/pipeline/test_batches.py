from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stepgraph.logs import ProcedureSize
from stepgraph.pipeline.procedures import cut_batches

SIZES = st.lists(st.tuples(st.integers(1, 30), st.integers(1, 40)), min_size=0, max_size=60).map(
    lambda pairs: [
        ProcedureSize(f"p{number}", variants, variants, longest)
        for number, (variants, longest) in enumerate(pairs)
    ]
)


@given(SIZES, st.integers(1, 9), st.integers(1, 30_000))
def test_every_procedure_is_in_one_batch_and_none_is_too_large(
    sizes: list[ProcedureSize], most: int, most_pairs: int
) -> None:
    batches = cut_batches(sizes, most=most, most_pairs=most_pairs)
    assert sorted(name for batch in batches for name in batch.procedures) == sorted(
        size.name for size in sizes
    )
    assert [batch.number for batch in batches] == list(range(len(batches)))
    pairs = {size.name: size.variants * (size.longest + 2) ** 2 for size in sizes}
    for batch in batches:
        assert len(batch.procedures) <= most
        total = sum(pairs[name] for name in batch.procedures)
        assert total <= most_pairs or len(batch.procedures) == 1


@given(SIZES, st.randoms())
def test_the_order_of_the_procedures_changes_no_batch(
    sizes: list[ProcedureSize], rng: object
) -> None:
    shuffled = sizes.copy()
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert cut_batches(shuffled, most=4) == cut_batches(sizes, most=4)


@given(SIZES)
def test_a_batch_holds_procedures_of_similar_length(sizes: list[ProcedureSize]) -> None:
    longest = {size.name: size.longest for size in sizes}
    lengths = [longest[name] for batch in cut_batches(sizes, most=5) for name in batch.procedures]
    assert lengths == sorted(lengths)


def test_the_batch_that_is_done_last_is_small_and_one_batch_alone_stays_whole() -> None:
    sizes = [ProcedureSize(f"p{number:03}", 3, 9, 10) for number in range(240)]
    assert [len(batch.procedures) for batch in cut_batches(sizes, most=80)] == [
        10,
        10,
        20,
        40,
        80,
        80,
    ]
    assert [len(batch.procedures) for batch in cut_batches(sizes, most=240)] == [240]
