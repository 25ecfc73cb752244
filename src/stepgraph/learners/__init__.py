"""From demonstrations to weighted edges: one file or folder for each method.

Every method is a `Learner` and is listed in `LEARNERS`; `get_learner` makes one by name with its
settings. A method's module is imported only when the method is used, so that torch is loaded for
the loss and the Task Graph Transformer only.
"""

from __future__ import annotations

import dataclasses
import importlib
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from stepgraph.errors import MissingExtraError, SettingError, UnknownNameError
from stepgraph.learners.base import Curve, Learned, Learner, Preset, Progress, no_progress

__all__ = [
    "LEARNERS",
    "Curve",
    "Learned",
    "Learner",
    "LearnerEntry",
    "Preset",
    "Progress",
    "get_learner",
    "get_preset",
    "no_progress",
]


@dataclass(frozen=True)
class LearnerEntry:
    """A method as the registry knows it, before its module is imported.

    Parameters
    ----------
    name
        The name that users type.
    summary
        A one-line description.
    module, class_name
        Its module and class.
    extra
        The optional dependency it needs, if any.
    reads_names
        Whether it uses the meaning of step names; it learns nothing from made-up names.
    quick
        Whether it learns a procedure in a moment; slow methods run only on request.
    needs_files
        Whether it needs files beside the recordings.
    """

    name: str
    summary: str
    module: str
    class_name: str
    extra: str | None = None
    reads_names: bool = False
    quick: bool = True
    needs_files: bool = False

    def load(self) -> type[Learner]:
        """Import the method.

        Raises
        ------
        MissingExtraError
            If its optional dependency is not installed.
        """
        try:
            module = importlib.import_module(self.module)
        except ModuleNotFoundError as error:
            if self.extra is None or (error.name or "").split(".")[0] == "stepgraph":
                raise
            raise MissingExtraError(
                f"the method {self.name!r}", self.extra, "or use another, such as 'robust'"
            ) from None
        learner: type[Learner] = getattr(module, self.class_name)
        return learner


LEARNERS = MappingProxyType(
    {
        entry.name: entry
        for entry in (
            LearnerEntry(
                "do",
                "Direct Optimization: gradient descent on the TGML loss (the paper's own)",
                "stepgraph.learners.tgml.direct_optimization",
                "DirectOptimization",
            ),
            LearnerEntry(
                "tgt-text",
                "the Task Graph Transformer: a network on what the steps are called (the paper's)",
                "stepgraph.learners.transformer.learner",
                "TextTransformer",
                extra="text",
                reads_names=True,
                quick=False,
            ),
            LearnerEntry(
                "tgt-video",
                "the same network on what the steps look like, from embeddings of video segments",
                "stepgraph.learners.transformer.learner",
                "VideoTransformer",
                extra="torch",
                quick=False,
                needs_files=True,
            ),
            LearnerEntry(
                "intersection",
                "the order that all demonstrations share: the exact maximum-likelihood order",
                "stepgraph.learners.intersection",
                "Intersection",
            ),
            LearnerEntry(
                "robust",
                "an order from recordings with mistakes, each trusted as far as it deserves",
                "stepgraph.learners.robust",
                "Robust",
            ),
            LearnerEntry(
                "fusion",
                "the shared order, thinned out by a prior graph or by what the step names say",
                "stepgraph.learners.fusion",
                "Fusion",
            ),
            LearnerEntry(
                "msgi",
                "inductive logic on how often steps came before (baseline of the paper)",
                "stepgraph.learners.inductive_logic",
                "MSGI",
            ),
            LearnerEntry(
                "msg2",
                "inductive logic on the share of times steps came before (baseline of the paper)",
                "stepgraph.learners.inductive_logic",
                "MSG2",
            ),
            LearnerEntry(
                "count-based",
                "what most often came directly before a step (baseline of the paper)",
                "stepgraph.learners.count_based",
                "CountBased",
            ),
            LearnerEntry(
                "llm",
                "asks a language model which steps a step needs (baseline of the paper)",
                "stepgraph.learners.llm.learner",
                "LanguageModel",
                reads_names=True,
            ),
        )
    }
)


def get_learner(name: str, /, *, preset: str | None = None, **settings: Any) -> Learner:
    """Make a learner by name.

    Parameters
    ----------
    name
        A name in `LEARNERS`.
    preset
        Settings that go together, such as 'paper'; `settings` overrule them.
    **settings
        The method's settings, by the names of its fields.

    Raises
    ------
    UnknownNameError
        If there is no such method, preset or setting; the message names the nearest.
    MissingExtraError
        If its optional dependency is not installed.
    SettingError
        If a setting has a value that it cannot take, or the method has no presets.

    Examples
    --------
    >>> get_learner("intersection").name
    'intersection'
    >>> get_learner("do", preset="paper").patience
    25
    """
    if name not in LEARNERS:
        raise UnknownNameError("method", name, LEARNERS)
    kind = LEARNERS[name].load()
    known = [entry.name for entry in dataclasses.fields(kind)]
    for setting in settings:
        if setting not in known:
            raise UnknownNameError("setting", setting, known, f"the method {name!r}")
    if preset is not None:
        settings = {**get_preset(name, preset).settings, **settings}
    return kind(**settings)


def get_preset(method: str, preset: str) -> Preset:
    """Return a preset of a method.

    Raises
    ------
    UnknownNameError
        If the method has no such preset; the message names those that it has.
    SettingError
        If the method has no presets.
    """
    presets = LEARNERS[method].load().presets
    if not presets:
        raise SettingError(
            f"the method {method!r} has no presets, so preset {preset!r} cannot be used; leave it "
            "out, or use 'do' or 'tgt-text'"
        )
    if preset not in presets:
        raise UnknownNameError("preset", preset, presets, f"the method {method!r}")
    return presets[preset]
