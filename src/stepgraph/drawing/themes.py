"""The colours of a drawing, for light and dark backgrounds, or by the reader's preference.

Every text and line has a contrast of at least 4.5 to 1 with its background. Missing and spurious
edges have the blue and vermilion of Okabe and Ito, which colour-blind people can tell apart,
darkened or lightened for the background.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from types import MappingProxyType

from stepgraph.errors import UnknownNameError


@dataclass(frozen=True)
class Theme:
    """The colours of a drawing.

    Parameters
    ----------
    paper
        The background.
    ink, faint
        Names, and the text beside them.
    box, end_box, outline
        The inside of a step, of START and END, and the line around both.
    edge
        An edge; in a comparison, one that both graphs have.
    missing, spurious
        Edges and steps that only the truth has, or only the prediction.
    choice, undoes, goes_with
        The lines and words of rules: choices, undoing, and what goes with what.
    style
        A style sheet that the drawing needs for its colours.
    """

    paper: str
    ink: str
    faint: str
    box: str
    end_box: str
    outline: str
    edge: str
    missing: str
    spurious: str
    choice: str
    undoes: str
    goes_with: str
    style: str = ""


LIGHT = Theme(
    paper="#ffffff",
    ink="#16191d",
    faint="#4d5762",
    box="#f3f6f9",
    end_box="#dce6ef",
    outline="#5d6a77",
    edge="#37424d",
    missing="#0065a3",
    spurious="#b84300",
    choice="#7a3e9d",
    undoes="#b3261e",
    goes_with="#00695c",
)
DARK = Theme(
    paper="#14171a",
    ink="#f1f3f5",
    faint="#b3bdc7",
    box="#252b32",
    end_box="#33414f",
    outline="#95a3b0",
    edge="#c5ced7",
    missing="#6cbcf0",
    spurious="#ffa263",
    choice="#d3a6f0",
    undoes="#ff938a",
    goes_with="#63cdbb",
)


def _screen() -> Theme:
    """Return the theme whose colours follow the browser's preference, light by default."""
    names = [field.name for field in fields(Theme) if field.name != "style"]
    light, dark = asdict(LIGHT), asdict(DARK)

    def sheet(colours: dict[str, str]) -> str:
        variables = ";".join(
            f"--stepgraph-{name.replace('_', '-')}:{colours[name]}" for name in names
        )
        return f".stepgraph-drawing{{{variables}}}"

    style = f"{sheet(light)}@media (prefers-color-scheme:dark){{{sheet(dark)}}}"
    # Printed pages are white.
    style += f"@media print{{{sheet(light)}}}"
    variables = {name: f"var(--stepgraph-{name.replace('_', '-')},{light[name]})" for name in names}
    return Theme(**variables, style=style)


THEMES = MappingProxyType({"light": LIGHT, "dark": DARK, "auto": _screen()})


def get_theme(name: str) -> Theme:
    """Return a theme by its name.

    Raises
    ------
    UnknownNameError
        If there is none of this name.
    """
    if name not in THEMES:
        raise UnknownNameError("theme", name, THEMES)
    return THEMES[name]
