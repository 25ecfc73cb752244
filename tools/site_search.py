"""What the site's search finds first, computed as the theme computes it in the browser.

The theme searches with lunr; its Python port ranks the same index here, with the theme's own steps
before and after: every word of a question is a beginning of a word, a page counts more than a
section of it, and so does whatever holds all the words.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lunr.builder import Builder
from lunr.index import Index
from lunr.stop_word_filter import stop_word_filter

QUESTIONS = {
    "install": ["install.html"],
    "csv columns": ["recordings.html"],
    "monitor": ["monitor.html"],
    "optional step": ["real-recordings.html", "graphs.html", "monitor.html"],
    "must never": ["how-to/prior.html"],
    "parquet": ["logs.html"],
    "event log": ["logs.html"],
    "png": ["drawings.html"],
    "bpmn": ["exchange.html"],
    "postgresql": ["service.html"],
    "recordings with mistakes": ["real-recordings.html", "recordings.html"],
    "loss": ["how-to/loss.html"],
    "transformer": ["transformer.html"],
}
"""What people type, and the pages of which one must come first."""


class Search:
    """The search of a built site.

    Parameters
    ----------
    folder
        The folder that the site was built into.
    """

    def __init__(self, folder: Path) -> None:
        read = json.loads((folder / "search" / "search_index.json").read_text(encoding="utf-8"))
        self._index = _index(read["docs"], read["config"])

    def pages(self, question: str) -> list[str]:
        """Return the pages that a question finds, best first."""
        words = question.split()
        scores: dict[str, float] = {}
        for found in self._index.search(" ".join(f"{word}*" for word in words)):
            known = found["match_data"].metadata
            share = sum(any(term.startswith(word) for term in known) for word in words) / len(words)
            page, _, section = found["ref"].partition("#")
            score = found["score"] * (1 + ((not section) + share) ** 2)
            scores[page] = max(score, scores.get(page, 0))
        return sorted(scores, key=lambda page: -scores[page])


def surprises(folder: Path) -> Iterator[str]:
    """Return the questions whose first page is not one that answers them."""
    search = Search(folder)
    for question, expected in QUESTIONS.items():
        found = search.pages(question)
        if not found or found[0] not in expected:
            yield f"{question!r} finds {', '.join(found[:3]) or 'nothing'}, not {expected[0]}"


def _index(documents: list[dict[str, Any]], config: Mapping[str, Any]) -> Index:
    builder = Builder()
    builder.b(0)
    builder.ref("location")
    for name, settings in config["fields"].items():
        builder.field(name, boost=settings["boost"])
    builder.pipeline.add(stop_word_filter)
    for document in documents:
        words = {name: _words(document.get(name)) for name in config["fields"]}
        ranked = {"location": document["location"], **words}
        builder.add(ranked, {"boost": document.get("boost", 1)})
    return builder.build()


def _words(field: str | None) -> str:
    return html.unescape(re.sub(r"<[^>]+>", " ", field or ""))
