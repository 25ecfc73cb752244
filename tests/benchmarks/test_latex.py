from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.harness import BenchmarkResult, Column
from benchmarks.latex import escape, latex_table, to_latex

SVG = "<svg><title>50 % of a &amp; b_c</title></svg>"
PART = BenchmarkResult(
    "part_1",
    "Methods & their F1 in %",
    [{"method": "a_b#1 [x]", "f1": "87.8 ± 1.5"}, {"method": "--c^{2} \\", "f1": ""}],
    (Column("method", lambda row: row["method"]), Column("F1", lambda row: row["f1"])),
    ["costs $5 ~ {cheap}", "[in brackets]"],
    charts={"curve": SVG},
)
WHOLE = BenchmarkResult("whole", "All", (), (), parts=[PART, BenchmarkResult("no", "x", (), ())])


def _check(document: str) -> None:
    """Check what pdflatex would stumble over: braces, environments, cells, special characters."""
    open_: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", document.split("\\begin{document}")[1]):
        if kind == "begin":
            open_.append(name)
        elif name != "document":
            assert open_.pop() == name
    assert open_ == []
    plain = re.sub(r"\\[\\{}&%$#_]", "", document)
    depth = 0
    for character in plain:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    tables = re.compile(r"\\begin\{tabular\}\{(.*)\}\n(.*?)\\end\{tabular\}", re.DOTALL)
    for table in tables.findall(plain):
        columns = len(re.sub(r"p\{\w+\}", "l", table[0]))
        lines = [line for line in table[1].splitlines() if not line.startswith("\\")]
        assert all(len(re.findall(r"(?<!\\) & ", f"{line} ")) <= columns - 1 for line in lines)
    assert plain.count("$") % 2 == 0


def test_a_document_is_well_formed_whatever_its_words() -> None:
    _check(to_latex(WHOLE, pictures="whole", drawn=["curve"]))


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_gives_a_well_formed_table_in_plain_characters(name: str, note: str) -> None:
    columns = (Column(name, lambda row: row["method"]),)
    document = to_latex(BenchmarkResult("b", note, [{"method": name}], columns, [note]))
    _check(document)
    assert not set(document) & set("\u4e2d\u2013\x00\r")


def test_tables_have_booktabs_rules_and_figures_to_the_right() -> None:
    lines = latex_table(PART).splitlines()
    assert r"\begin{tabular}{lr}" in lines
    assert r"a\_b\#1 {[}x{]} & 87.8 $\pm$ 1.5 \\" in lines
    assert [line for line in lines if "rule" in line] == [r"\toprule", r"\midrule", r"\bottomrule"]


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("--quick", "-{}-quick"),
        ("a---b", "a-{}-{}-b"),
        ("''", "'{}'"),
        ("MSG²", r"MSG\textsuperscript{2}"),
        ("é", "é"),
        ("🥚", r"\texttt{U+1F95A}"),
        ("a\nb", "a b"),
    ],
)
def test_what_latex_would_draw_otherwise_is_escaped(text: str, escaped: str) -> None:
    assert escape(text) == escaped


def test_pictures_are_included_or_named_where_there_is_no_png() -> None:
    assert "{whole/curve.png}" in to_latex(WHOLE, pictures="whole", drawn=["curve"])
    assert "See the file whole/curve.svg." in to_latex(WHOLE, pictures="whole")
    assert r"\caption{50 \% of a \& b\_c}" in to_latex(WHOLE, pictures="whole")
    assert "curve" not in to_latex(WHOLE)


def test_pdflatex_compiles_it(tmp_path: Path) -> None:
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("pdflatex is not installed")
    (tmp_path / "whole.tex").write_text(to_latex(WHOLE, pictures="whole"), encoding="utf-8")
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "whole.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
