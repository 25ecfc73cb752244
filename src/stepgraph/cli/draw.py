"""`stepgraph draw`: a picture of a graph, or of a graph against a known one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from stepgraph.cli import options
from stepgraph.cli.output import echo, print_notes
from stepgraph.cli.output_files import check_file
from stepgraph.errors import GraphError, InputError, SettingError, UnknownNameError

if TYPE_CHECKING:
    from stepgraph.formats.dot import Direction
    from stepgraph.graph import TaskGraph

PICTURES = (".svg", ".png")
TEXTS = (".dot", ".gv", ".mmd")
DIRECTIONS = ("BT", "LR")


def draw(
    graph: options.Graph,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write; its ending says the format: .svg, .png, .dot, .gv, .mmd.",
            show_default=False,
        ),
    ],
    truth: options.Truth = None,
    theme: Annotated[
        str,
        typer.Option(metavar="light|dark|auto", help="The colours; auto lets a browser choose."),
    ] = "light",
    direction: Annotated[
        str,
        typer.Option(metavar="BT|LR", help="From the bottom to the top, or from left to right."),
    ] = "BT",
    scale: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            help="For .png: pixels per unit. Default: 2, less for large drawings.",
        ),
    ] = None,
) -> None:
    """Draw a task graph as a picture, START at the bottom.

    The thicker and darker an edge, the larger its weight. With --truth the drawing, an
    .svg or .png, shows the edges that both graphs have, and the missing and spurious ones.

    Example: stepgraph draw pancakes.graph.json -o pancakes.svg
    """
    from stepgraph.formats import read_graph

    suffix = output.suffix.lower()
    _check_options(output, suffix, direction, truth, scale)
    loaded = read_graph(graph)
    known = None if truth is None else read_graph(truth)
    check_file(output)
    way = cast("Direction", direction)
    if suffix in TEXTS:
        _write_source(loaded, output, suffix, way)
    else:
        from stepgraph.drawing import draw_comparison, draw_graph

        try:
            svg = (
                draw_graph(loaded, theme=theme, direction=way)
                if known is None
                else draw_comparison(loaded, known, theme=theme, direction=way)
            )
        except GraphError as error:
            raise GraphError(f"{graph} and {truth}: {error}") from None
        _write_picture(svg, output, suffix, scale)
    echo(f"{output}: written")


def _check_options(
    output: Path, suffix: str, direction: str, truth: Path | None, scale: float | None
) -> None:
    if suffix not in PICTURES + TEXTS:
        ending = f"the ending {output.suffix!r}" if suffix else "a name without an ending"
        raise InputError(
            f"{output}: {ending} names no picture; expected {', '.join(PICTURES + TEXTS)}"
        )
    if direction not in DIRECTIONS:
        raise UnknownNameError("direction", direction, DIRECTIONS, "--direction")
    if suffix in TEXTS and truth is not None:
        raise SettingError(f"{output}: a comparison is drawn as .svg or .png only")
    if suffix != ".png" and scale is not None:
        raise SettingError(f"{output}: --scale is for .png; an {suffix} file has no pixels")


def _write_source(graph: TaskGraph, output: Path, suffix: str, direction: Direction) -> None:
    from stepgraph.files import write_text
    from stepgraph.formats.dot import to_dot
    from stepgraph.formats.mermaid import to_mermaid

    write = to_mermaid if suffix == ".mmd" else to_dot
    write_text(output, write(graph, direction=direction))


def _write_picture(svg: str, output: Path, suffix: str, scale: float | None) -> None:
    from stepgraph.drawing.png import largest_scale, to_png, usual_scale, without_glyph
    from stepgraph.files import write_bytes, write_text

    if suffix == ".svg":
        write_text(output, svg)
        return
    usual = usual_scale(svg)
    if scale is None and usual < 1.0:
        note = (
            f"{output}: a large drawing, at a scale of {usual:.2g}, so that names may be hard to "
            f"read; --scale goes up to {largest_scale(svg):.2g}, and an .svg file has no limit"
        )
        print_notes([note])
    write_bytes(output, to_png(svg, scale=scale))
    unknown = without_glyph([svg])
    if unknown:
        shown = " ".join(unknown[:10]) + (" ..." if len(unknown) > 10 else "")
        note = (
            f"{output}: {shown} come from this machine's fonts, or are boxes where it has none; "
            "an .svg file leaves them to the reader's"
        )
        print_notes([note])
