"""A drawing as PNG, painted by resvg with the font that ships with stepgraph."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stepgraph.drawing.fonts import FONT_FILE, FONT_NAME, carried_font
from stepgraph.drawing.themes import THEMES
from stepgraph.errors import MissingExtraError, SettingError, UnavailableError

MOST_PIXELS = 25_000_000
"""Maximum number of pixels; programs cannot open larger pictures, and memory runs out."""

# Painting time grows with the pixels. The quick number takes a fifth of a second at most. A
# drawing with more pixels at scale 1 still gets that scale, up to about a second of painting;
# the more lines it has, the fewer pixels that is.
_QUICK_PIXELS = 1_200_000
_SLOW_PIXELS = 10_000_000
_PIXELS_OF_A_LINE = 3_000
_LEAST_PIXELS = 3_000_000
_FINEST = 2.0

_SIZE = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


def to_png(svg: str, *, scale: float | None = None) -> bytes:
    """Return a drawing as the bytes of a PNG file.

    The text is in the font that ships with stepgraph. Characters that it lacks, such as Chinese
    and most emoji, come from the machine's fonts; see `without_glyph`.

    Parameters
    ----------
    svg
        A drawing of the theme light or dark.
    scale
        Pixels per unit of the drawing, at most `largest_scale`; by default `usual_scale`.

    Raises
    ------
    MissingExtraError
        If resvg is not installed.
    SettingError
        If the scale is out of range, or the theme is ``"auto"``.
    """
    try:
        import resvg_py
    except ImportError:
        raise MissingExtraError("a PNG picture", "draw", "or write an .svg file") from None
    if scale is None:
        scale = usual_scale(svg)
    if not 0 < scale <= largest_scale(svg):
        raise SettingError(
            f"the scale is {scale:g}; expected more than 0 and at most {largest_scale(svg):.3g}, "
            f"which makes {MOST_PIXELS // 1_000_000} million pixels"
        )
    if THEMES["auto"].style in svg:
        raise SettingError("the theme 'auto' is for browsers; a PNG is either 'light' or 'dark'")
    content: bytes = resvg_py.svg_to_bytes(
        svg_string=svg,
        zoom=scale,
        font_files=[str(FONT_FILE)],
        font_family=FONT_NAME,
        sans_serif_family=FONT_NAME,
        # Reading all fonts of a machine is slow, and machines differ.
        skip_system_fonts=not without_glyph([svg]),
    )
    if not content:
        raise UnavailableError("resvg made no picture of this drawing; write an .svg file instead")
    return bytes(content)


def largest_scale(svg: str) -> float:
    """Return the scale at which a drawing has the maximum number of pixels.

    Parameters
    ----------
    svg
        A drawing.
    """
    return _scale_for(svg, MOST_PIXELS)


def usual_scale(svg: str) -> float:
    """Return the default scale of a PNG.

    It is 2 for a small drawing, because screens have fine pixels, and less for a larger one, to
    save time. It is less than 1 only for a drawing with many million pixels.

    Parameters
    ----------
    svg
        A drawing.
    """
    wanted = min(max(_scale_for(svg, _QUICK_PIXELS), 1.0), _FINEST)
    lines = svg.count('class="edge"')
    most = max(_SLOW_PIXELS - _PIXELS_OF_A_LINE * lines, _LEAST_PIXELS)
    return min(wanted, _scale_for(svg, most))


def _scale_for(svg: str, pixels: int) -> float:
    size = _SIZE.search(svg)
    if size is None:
        raise SettingError("this SVG is not a drawing of stepgraph: it has no size")
    width, height = map(float, size.groups())
    return float((pixels / (width * height)) ** 0.5)


def without_glyph(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the characters that the font of stepgraph lacks.

    Parameters
    ----------
    texts
        The texts to show.
    """
    font = carried_font()
    found = {
        character
        for text in texts
        for character in set(text)
        if character >= " " and not font.covers(character)
    }
    return tuple(sorted(found))
