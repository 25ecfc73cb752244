from __future__ import annotations

from collections.abc import Iterator

import pytest

from stepgraph.errors import UnavailableError
from stepgraph.pipeline.procedures import learn_procedures
from stepgraph.pipeline.workers import Workers
from tests.learning import options
from tests.pipeline.test_procedures import as_bytes, many

distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask's own shutting down


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as running:
        yield running.scheduler_address


def test_a_cluster_gives_the_same_bytes(cluster: str) -> None:
    # Longer than one worker is given at once, and with settings, which have to travel as well.
    workers = Workers(scheduler=cluster)
    report = learn_procedures(
        many(), options("intersection", repetitions="last"), workers=workers, most=1
    )
    alone = learn_procedures(
        many(), options("intersection", repetitions="last"), workers=Workers(1)
    )
    assert as_bytes(report) == as_bytes(alone)


def test_a_cluster_without_workers_is_refused() -> None:
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, dashboard_address=None, protocol="tcp://"
        ) as empty,
        pytest.raises(UnavailableError, match="has no workers; start one"),
    ):
        learn_procedures(
            many(2), options("intersection"), workers=Workers(scheduler=empty.scheduler_address)
        )
