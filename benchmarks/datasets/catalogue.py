"""The data sets that stepgraph knows: licence, source, and size and checksum of every file.

The checksums are in ``files.csv`` beside this module, one line for each file. Its last column says
how sure it is that the public repository holds exactly these bytes at the pinned commit.
"""

from __future__ import annotations

import csv
import enum
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import PurePosixPath
from types import MappingProxyType

from stepgraph.errors import UnknownNameError


@dataclass(frozen=True)
class Source:
    """A folder of a public GitHub repository at one commit.

    Parameters
    ----------
    repository
        Owner and name, as in ``https://github.com/owner/name``.
    commit
        The commit, as 40 hexadecimal digits.
    folder
        The folder in the repository; empty for its root.
    """

    repository: str
    commit: str
    folder: str


class Evidence(enum.Enum):
    """How it is known that the published file has the checksum in the catalogue."""

    WHOLE = "whole"
    """Every byte at that commit was compared."""

    PART = "part"
    """The file at that commit is as long, to the byte, and ends with the same text."""

    LISTED = "listed"
    """The folder at that commit has as many files as are listed here, by these names as far as was
    looked at, and some were compared whole; this one's checksum is that of a copy."""

    UNSEEN = "unseen"
    """No copy of the published file could be looked at."""

    EXCERPT = "excerpt"
    """It is a part of the published file, which therefore has another checksum."""


OFFERED = frozenset({Evidence.WHOLE, Evidence.PART, Evidence.LISTED})
"""With what evidence a file is offered for download; whatever comes is compared all the same."""


@dataclass(frozen=True)
class DataFile:
    """A file of a data set.

    Parameters
    ----------
    path
        Where it belongs below the data directory, with ``/`` between the parts.
    size
        Its length in bytes.
    sha256
        Its checksum, as 64 hexadecimal digits.
    source
        Where it is published.
    evidence
        How it is known that it is published with this checksum.
    """

    path: str
    size: int
    sha256: str
    source: Source
    evidence: Evidence

    @property
    def published(self) -> str:
        """Its path in the repository; all files keep their names but those that are excerpts."""
        name = PurePosixPath(self.path).name.replace(".dev.", ".")
        return str(PurePosixPath(self.source.folder) / name)

    @property
    def downloadable(self) -> bool:
        """Whether `fetch` downloads it."""
        return self.evidence in OFFERED

    @property
    def by_hand(self) -> str:
        """What to do about a file that is not downloaded; empty for the others."""
        if self.evidence is Evidence.EXCERPT:
            return (
                f"{self.path} is a part of {self.published} in {self.source.repository}; "
                "the published file is in the same format and can be read in its place"
            )
        if self.evidence is Evidence.UNSEEN:
            return (
                f"{self.path} comes from {self.source.repository}, but at no commit could it be "
                f"compared; look for it there, below {self.source.folder}, and copy it by hand: "
                "python -m benchmarks data says whether it is the file that the benchmarks were "
                "run with"
            )
        return ""


@dataclass(frozen=True)
class DataSet:
    """A data set: a folder of the data directory.

    Parameters
    ----------
    name
        What users type, and the name of the folder.
    summary
        What it holds, in one line.
    licence
        Under which licence it is published.
    non_commercial
        Whether the licence forbids commercial use.
    """

    name: str
    summary: str
    licence: str
    non_commercial: bool

    @property
    def files(self) -> tuple[DataFile, ...]:
        """Its files, in the order of the catalogue."""
        return _files()[self.name]

    @property
    def repositories(self) -> tuple[str, ...]:
        """The GitHub repositories that it comes from."""
        return tuple(dict.fromkeys(file.source.repository for file in self.files))

    @property
    def about(self) -> str:
        """What it is, where it comes from and on which terms, in one sentence."""
        return f"{self.summary}, {self.terms}, from {' and '.join(self.repositories)} on GitHub"

    @property
    def terms(self) -> str:
        """The licence, in words that leave no doubt about commercial use."""
        limit = "; non-commercial use only" if self.non_commercial else ""
        return f"licence {self.licence}{limit}"


_AUTHORS = "fpv-iplab/Differentiable-Task-Graph-Learning"
_PREDICTIONS = "step_anticipation/data/predictions"

SOURCES: Mapping[str, Source] = MappingProxyType(
    {
        "tgl-recordings": Source(
            _AUTHORS, "51cca798affd8641d7f85efea40a5cdb8035c348", "data/captaincook4d"
        ),
        "tgl-graphs": Source(
            _AUTHORS,
            "51cca798affd8641d7f85efea40a5cdb8035c348",
            "data/captaincook4d/ground_truth_task_graphs",
        ),
        "tgl-assembly101": Source(
            _AUTHORS, "cd5065c033b9c4d562c935a74e171bee059926c9", "data/assembly101"
        ),
        "tgl-epic-tent": Source(
            _AUTHORS, "a189fbc7eb9b96f0250aefc243ba996c4cd48297", "data/epic-tent"
        ),
        "tgl-llm": Source(
            _AUTHORS,
            "b991d41cfee6a1a5fca779171675454e4943185d",
            "task-graph-learning/baselines/Baseline_LLM",
        ),
        "captaincook4d-annotations": Source(
            "CaptainCook4D/annotations",
            "842fb501b607ebe48494fd93fa0d933a9a22108d",
            "annotation_json",
        ),
        "captaincook4d-graphs": Source(
            "CaptainCook4D/annotations", "c2c5fe7e3a1f58b01305ca79be0c815e4179ca3b", "task_graphs"
        ),
        "assembly101-mistakes": Source(
            "assembly-101/assembly101-mistake-detection",
            "41f6bdd9ccbdb644447e76c0c060f4259a1d0f6d",
            "annots",
        ),
        "epic-tent": Source(
            "youngkyoonjang/EPIC_Tent2019", "748dcda978274ff253b1452f60f73022e04fcbe1", ""
        ),
        "prego-miniroad": Source(
            "aleflabo/PREGO", "807ce6e0ece4271e51a8560326346bf025e46ab4", _PREDICTIONS
        ),
        "prego-oadtr": Source(
            "aleflabo/PREGO", "d207d228e0ac1576a9ea576e3f83ad278b16e001", _PREDICTIONS
        ),
    }
)
"""Where files come from, by the names that ``files.csv`` uses."""

DATASETS: Mapping[str, DataSet] = MappingProxyType(
    {
        dataset.name: dataset
        for dataset in (
            DataSet(
                "captaincook4d",
                "CaptainCook4D's recordings as the paper splits them, and the known graphs",
                "MIT",
                non_commercial=False,
            ),
            DataSet(
                "assembly101",
                "Assembly101's mistake annotations and the Assembly101-O split",
                "CC BY-NC 4.0",
                non_commercial=True,
            ),
            DataSet(
                "epic-tent",
                "EPIC-Tent's action and error labels and the EPIC-Tent-O split",
                "of EPIC-Tent 2019",
                non_commercial=True,
            ),
            DataSet(
                "recognition",
                "key-steps that PREGO's two recognisers saw in the test videos",
                "MIT",
                non_commercial=False,
            ),
            DataSet(
                "llm-graphs",
                "the graphs that a chat model gave for CaptainCook4D's recipes",
                "CC BY-NC 4.0",
                non_commercial=True,
            ),
        )
    }
)


def get_dataset(name: str) -> DataSet:
    """Return a data set by its name.

    Raises
    ------
    UnknownNameError
        If there is none of this name.

    Examples
    --------
    >>> get_dataset("assembly101").terms
    'licence CC BY-NC 4.0; non-commercial use only'
    """
    try:
        return DATASETS[name]
    except KeyError:
        raise UnknownNameError("data set", name, DATASETS) from None


@cache
def _files() -> Mapping[str, tuple[DataFile, ...]]:
    found: dict[str, list[DataFile]] = {name: [] for name in DATASETS}
    text = resources.files("benchmarks.datasets").joinpath("files.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        folder = row["path"].partition("/")[0]
        found[folder].append(
            DataFile(
                row["path"],
                int(row["size"]),
                row["sha256"],
                SOURCES[row["source"]],
                Evidence(row["evidence"]),
            )
        )
    return {name: tuple(files) for name, files in found.items()}
