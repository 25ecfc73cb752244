r"""Benchmark results as a LaTeX document: a booktabs table for each, and the charts as figures.

The document needs nothing but booktabs and graphicx, and every table also stands alone: copied into
a paper with `\usepackage{booktabs}` it compiles there, but for `fitted`, which shrinks wide tables.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from benchmarks.harness import BenchmarkResult
from benchmarks.pages import column_kinds, picture_title

PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage[margin=2cm]{geometry}
\usepackage{booktabs}
\usepackage{graphicx}
\newsavebox{\fittedbox}
% A table that is wider than the text is shrunk to its width.
\newenvironment{fitted}{\begin{lrbox}{\fittedbox}}{\end{lrbox}%
  \ifdim\wd\fittedbox>\linewidth\resizebox{\linewidth}{!}{\usebox{\fittedbox}}%
  \else\usebox{\fittedbox}\fi}
\begin{document}
"""
HEADINGS = ("section", "subsection", "subsubsection", "paragraph")
FEW = 10
"""The figures of a part that has more than this get a page each."""
SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "[": "{[}",  # after the end of a line or an item they would be options
    "]": "{]}",
    "*": "{*}",
    "±": r"$\pm$",
    "\u00d7": r"$\times$",
    "²": r"\textsuperscript{2}",
    "°": r"\textdegree{}",
    "½": r"$\frac{1}{2}$",
    "β": r"$\beta$",
    "\u03b1": r"$\alpha$",
    "→": r"$\rightarrow$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "\u2212": "$-$",
    "\u2013": r"\textendash{}",
    "\u2014": r"\textemdash{}",
    "\u2018": r"\textquoteleft{}",
    "\u2019": r"\textquoteright{}",
    "\u201c": r"\textquotedblleft{}",
    "\u201d": r"\textquotedblright{}",
    "…": r"\dots{}",
    "·": r"$\cdot$",
    "\n": " ",
    "\t": " ",
}
TWICE = re.compile(r"([-',`])(?=\1)")
"""Characters that LaTeX would draw together with the same one after them, as -- to a dash."""
LAST_LETTER = 0x17F
"""The last letter of Latin Extended-A, which the encoding T1 covers with few exceptions."""


def escape(text: str) -> str:
    r"""Return a text that LaTeX prints as it is.

    Characters that its fonts lack are printed by their number.

    Examples
    --------
    >>> escape("90 % of do_paper")
    '90 \\% of do\\_paper'
    >>> escape("中")
    '\\texttt{U+4E2D}'
    """
    return TWICE.sub(r"\1{}", "".join(map(_escaped, text)))


def _escaped(character: str) -> str:
    if character in SPECIAL:
        return SPECIAL[character]
    number = ord(character)
    if 0x20 <= number < 0x7F or (0xC0 <= number <= LAST_LETTER and character.isalpha()):
        return character
    return rf"\texttt{{U+{number:04X}}}"


def to_latex(result: BenchmarkResult, *, pictures: str = "", drawn: Collection[str] = ()) -> str:
    """Return a result as a LaTeX document.

    Parameters
    ----------
    result
        The result.
    pictures
        The folder that holds its charts as files, as seen from the document.
    drawn
        The charts that are there as PNG files, which LaTeX can include; for the others the document
        names the SVG file.
    """
    body = _section(result, 0, pictures, drawn)
    return "\n".join([PREAMBLE, *body, r"\end{document}", ""])


def latex_table(result: BenchmarkResult) -> str:
    """Return the table of a result, with its title as caption."""
    titles = [column.title for column in result.columns]
    rows = result.table()
    kinds = {"figure": "r", "long": "p{7cm}", "": "l"}
    columns = "".join(kinds[kind] for kind in column_kinds(len(titles), rows))
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"\centering",
            rf"\caption{{{escape(result.title)}}}",
            r"\begin{fitted}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _row(titles),
            r"\midrule",
            *map(_row, rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{fitted}",
            r"\end{table}",
        ]
    )


def _section(
    result: BenchmarkResult, level: int, pictures: str, drawn: Collection[str]
) -> list[str]:
    heading = HEADINGS[min(level, len(HEADINGS) - 1)]
    lines = [rf"\{heading}*{{{escape(result.heading or result.benchmark)}}}"]
    if result.columns and not result.parts:
        lines.append(latex_table(result))
    else:
        lines += [escape(result.title), ""]
    for part in result.parts:
        lines += _section(part, level + 1, pictures, drawn)
    if level > 0 or not result.parts:  # the notes and charts of a whole are those of its parts
        if result.notes:
            items = [rf"\item {escape(note)}" for note in result.notes]
            lines += [r"\begin{itemize}", *items, r"\end{itemize}"]
        for name, svg in result.charts.items():
            lines += _figure(name, picture_title(name, svg), pictures, drawn)
            # LaTeX keeps only some figures in mind that have no page yet.
            lines += [r"\clearpage"] if len(result.charts) > FEW else []
    return [*lines, r"\clearpage"] if level < 2 else lines


def _figure(name: str, title: str, pictures: str, drawn: Collection[str]) -> list[str]:
    if not pictures:
        return []
    path = f"{pictures}/{name}"
    # Nothing may be escaped in the name of a file; our own have letters, digits and hyphens.
    shown = (
        rf"\includegraphics[width=\linewidth,height=0.85\textheight,keepaspectratio]{{{path}.png}}"
        if name in drawn
        else escape(f"See the file {path}.svg.")
    )
    return [
        r"\begin{figure}[htbp]",
        r"\centering",
        shown,
        rf"\caption{{{escape(title)}}}",
        r"\end{figure}",
    ]


def _row(cells: Sequence[str]) -> str:
    return " & ".join(map(escape, cells)) + r" \\"
