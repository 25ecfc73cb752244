"""The drawn side: hypothesis changes valid inputs, and shrinks what goes wrong."""

from __future__ import annotations

import random
import sys
import time
from contextlib import suppress
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as begin_with
from hypothesis import strategies as st

from tests.fuzz.checking import Findings
from tests.fuzz.mutation import mutate
from tests.fuzz.registry import find_target
from tests.fuzz.target import Target
from tests.fuzz.work import Work

AT_ONCE = 100
"""How many examples hypothesis draws before the time is looked at."""


class FoundError(Exception):
    """An input went wrong."""


def inputs(target: Target) -> st.SearchStrategy[bytes]:
    """Return changed seeds, and now and then any bytes or text."""

    def changed(data: bytes, rng: random.Random) -> bytes:
        return mutate(data, rng, target.words)

    mutated = st.builds(changed, st.sampled_from(target.seeds()), st.randoms())
    text = st.text(max_size=200).map(lambda drawn: drawn.encode("utf-8", "surrogatepass"))
    return st.one_of(mutated, mutated, mutated, text, st.binary(max_size=200))


def run(name: str, seconds: float, work: Work, seed: int) -> None:
    """Fuzz one target for some processor time.

    Parameters
    ----------
    name
        The target.
    seconds
        How much processor time to spend.
    work
        Where findings and results are.
    seed
        Where randomness begins.
    """
    target = find_target(name)
    with Findings(target, work.findings) as findings:
        for data in target.seeds():
            findings.try_input(data)
        begin = time.process_time()
        number = 0
        while time.process_time() - begin < seconds:
            _some(findings, 1000 * seed + number, begin + seconds)
            number += 1
        work.add(name, "drawn", findings, time.process_time() - begin)


def _some(findings: Findings, seed: int, end: float) -> None:
    reported = set(findings.known)

    @begin_with(seed)
    @settings(
        max_examples=AT_ONCE,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
    @given(data=inputs(findings.target))
    def one(data: bytes) -> None:
        if time.process_time() > end:
            return
        wrong = findings.try_input(data)
        if wrong is not None and wrong not in reported:
            raise FoundError(wrong)

    with suppress(FoundError):  # it is among the findings, in its smallest form
        one()


if __name__ == "__main__":
    run(sys.argv[1], float(sys.argv[2]), Work(Path(sys.argv[3])), int(sys.argv[4]))
