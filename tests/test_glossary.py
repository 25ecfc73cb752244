"""One word per idea: the glossary's words are what the code has, and others are not used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GLOSSARY = ROOT / "docs" / "glossary.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in GLOSSARY.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| word")
]
REFUSED = sorted({word.strip() for row in ROWS for word in row[3].split(",") if word.strip()})
TEXTS = {
    path: path.read_text(encoding="utf-8")
    for path in [
        ROOT / "README.md",
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "docs" / "how-to").glob("*.md"),
        *(ROOT / "src").rglob("*.py"),
    ]
    if path != GLOSSARY
}


@pytest.mark.parametrize("word", REFUSED)
def test_a_word_for_what_has_one_already_is_not_used(word: str) -> None:
    pattern = re.compile(rf"\b{re.escape(word)}s?\b", re.IGNORECASE)
    assert not [str(path) for path, text in TEXTS.items() if pattern.search(text)]


@pytest.mark.parametrize(
    "name", sorted({name for row in ROWS for name in re.findall(r"`([A-Z]\w*[a-z]\w*)", row[2])})
)
def test_a_name_of_the_glossary_is_one_of_the_code(name: str) -> None:
    pattern = re.compile(rf"^(?:class {name}\b|{name} = )", re.MULTILINE)
    assert any(pattern.search(text) for path, text in TEXTS.items() if path.suffix == ".py")


def test_the_words_have_one_row_each() -> None:
    words = [word.strip() for row in ROWS for word in row[0].split(",")]
    assert len(words) == len(set(words)) > 20
