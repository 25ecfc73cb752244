"""The guided side: atheris keeps the inputs that reach new code, and goes on from them.

It runs as a process of its own, because libFuzzer ends the process that it runs in.
"""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path

from tests.fuzz.checking import Findings
from tests.fuzz.mutation import LONGEST, mutate
from tests.fuzz.work import Work


def run(name: str, seconds: float, work: Work, seed: int) -> None:
    """Fuzz one target, and end this process.

    Parameters
    ----------
    name
        The target.
    seconds
        How much processor time to spend.
    work
        Where corpus, findings and results are.
    seed
        Where randomness begins.
    """
    import atheris

    with atheris.instrument_imports(include=["stepgraph"]):
        from tests.fuzz.registry import find_target

        target = find_target(name)
        findings = Findings(target, work.findings)
        seeds = target.seeds()
        for data in seeds:  # also so that what is imported late is instrumented
            findings.try_input(data)
    corpus = work.corpus_of(name)
    for number, data in enumerate(seeds):
        (corpus / f"seed-{number}").write_bytes(data)
    begin = time.process_time()

    def test_one_input(data: bytes) -> None:
        findings.try_input(data)
        spent = time.process_time() - begin
        if spent >= seconds:
            work.add(name, "guided", findings, spent)
            findings.__exit__(None, None, None)
            sys.stdout.flush()
            os._exit(0)  # libFuzzer has no other end than a signal

    def custom_mutator(data: bytes, max_size: int, own_seed: int) -> bytes:
        rng = random.Random(own_seed)
        if rng.random() < 0.4:
            changed: bytes = atheris.Mutate(data, max_size)
            return changed
        if rng.random() < 0.3:  # what is kept drifts away from what is accepted
            data = rng.choice(seeds)
        return mutate(data, rng, target.words)[:max_size]

    arguments = [
        "fuzz",
        str(corpus),
        f"-max_len={LONGEST}",
        f"-seed={seed + 1}",
        f"-artifact_prefix={work.findings}/{name}-",
        "-timeout=60",
        "-rss_limit_mb=4096",
        "-verbosity=0",
        "-detect_leaks=0",
    ]
    atheris.Setup(arguments, test_one_input, custom_mutator=custom_mutator)
    atheris.Fuzz()


if __name__ == "__main__":
    run(sys.argv[1], float(sys.argv[2]), Work(Path(sys.argv[3])), int(sys.argv[4]))
