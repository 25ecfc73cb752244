"""The public data sets that benchmarks read: what they are, what is there, and how to get them.

`DATASETS` lists them with licence, source and a checksum per file; `examine` compares a data
directory with that list; `fetch` downloads what is missing and refuses what does not match.
"""

from __future__ import annotations

from benchmarks.datasets.catalogue import DATASETS, DataFile, DataSet, Evidence, Source, get_dataset
from benchmarks.datasets.directory import VARIABLE, DataSetStatus, State, data_directory, examine
from benchmarks.datasets.download import FetchReport, fetch

__all__ = [
    "DATASETS",
    "VARIABLE",
    "DataFile",
    "DataSet",
    "DataSetStatus",
    "Evidence",
    "FetchReport",
    "Source",
    "State",
    "data_directory",
    "examine",
    "fetch",
    "get_dataset",
]
