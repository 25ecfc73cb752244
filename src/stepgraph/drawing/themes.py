"""The colours of a drawing, on light and on dark paper, or as the reader's screen is set.

Every text and line keeps a contrast of 4.5 to 1 or more with what it stands on. Missing and
spurious edges have the blue and vermilion of Okabe and Ito, which people tell apart whatever
their eyes, darkened or lightened for the paper.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from types import MappingProxyType

from stepgraph.errors import UnknownNameError


@dataclass(frozen=True)
class Theme:
    """What each part of a drawing is painted with.

    Parameters
    ----------
    paper
        The background.
    ink, faint
        Names, and what stands beside them.
    box, end_box, outline
        The inside of a step, of START and END, and the line around both.
    edge
        An edge, in a comparison one that both graphs have.
    missing, spurious
        What only the truth has, and what only the prediction has.
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
)


def _screen() -> Theme:
    """Return the theme whose colours a browser looks up, light ones where it cannot."""
    names = [field.name for field in fields(Theme) if field.name != "style"]
    light, dark = asdict(LIGHT), asdict(DARK)

    def sheet(colours: dict[str, str]) -> str:
        variables = ";".join(
            f"--stepgraph-{name.replace('_', '-')}:{colours[name]}" for name in names
        )
        return f".stepgraph-drawing{{{variables}}}"

    style = f"{sheet(light)}@media (prefers-color-scheme:dark){{{sheet(dark)}}}"
    # A page that prints is white, whatever the screen.
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
