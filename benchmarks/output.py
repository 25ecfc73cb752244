"""A benchmark's result as files: a page, Markdown, LaTeX and JSON, and its charts beside them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchmarks.harness import BenchmarkResult
from benchmarks.latex import to_latex
from benchmarks.pages import to_html, to_markdown
from stepgraph.drawing.png import to_png
from stepgraph.errors import UnavailableError
from stepgraph.files import make_folder, write_into_folder, write_texts


def write_result(result: BenchmarkResult, folder: Path) -> tuple[Path, ...]:
    """Write a result into a folder, and its charts into a folder of its name inside.

    Parameters
    ----------
    result
        The result.
    folder
        The folder; created if missing.

    Returns
    -------
    tuple
        The page, the Markdown, the LaTeX document and the JSON.
    """
    pictures = result.pictures()
    drawn = write_pictures(pictures, folder / result.benchmark)
    return write_pages(result, folder, drawn)


def write_pages(
    result: BenchmarkResult, folder: Path, drawn: Mapping[str, Path]
) -> tuple[Path, ...]:
    """Write the page, the Markdown, the LaTeX document and the JSON of a result.

    Parameters
    ----------
    result, folder
        As for `write_result`.
    drawn
        The charts that `write_pictures` wrote as PNG.
    """
    name = result.benchmark
    pictures = name if result.pictures() else ""
    texts = {
        f"{name}.html": to_html(result),
        f"{name}.md": to_markdown(result, pictures=pictures),
        f"{name}.tex": to_latex(result, pictures=pictures, drawn=drawn),
        f"{name}.json": result.to_json(),
    }
    return write_into_folder(folder, texts)


def write_pictures(pictures: Mapping[str, str], folder: Path) -> dict[str, Path]:
    """Write charts as SVG and, for LaTeX, as PNG; return the PNG files by chart.

    Parameters
    ----------
    pictures
        SVG text by name.
    folder
        The folder; created if there is a chart and it is missing.
    """
    if not pictures:
        return {}
    make_folder(folder)
    files: dict[Path, str | bytes] = {}
    drawn = {}
    for name, svg in pictures.items():
        files[folder / f"{name}.svg"] = svg
        try:
            png = to_png(svg)
        except UnavailableError:  # the extra that draws is not installed
            continue
        drawn[name] = folder / f"{name}.png"
        files[drawn[name]] = png
    write_texts(files)
    return drawn
