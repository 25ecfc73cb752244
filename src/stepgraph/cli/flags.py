"""Parameters of the library as the command line calls them.

The library names its parameters, as in ``with_mistakes=True``; on the command line that is
``--with-mistakes``. All messages and notes pass through here on their way to the terminal.
"""

from __future__ import annotations

import re

FLAGS = {
    "columns": "--column",
    "complete": "--complete",
    "draws": "--again",
    "embeddings": "--embeddings",
    "errors": "--errors",
    "format": "--format",
    "memory": "--memory",
    "method": "--method",
    "min_step": "--min-step",
    "must": "--must",
    "never": "--never",
    "order": "--order",
    "port": "--port",
    "procedure": "--procedure",
    "repetitions": "--repetitions",
    "scheduler": "--scheduler",
    "time_format": "--time-format",
    "with_mistakes": "--with-mistakes",
    "workers": "--workers",
}
"""For each parameter that messages name, its option."""
SETTINGS = ("base_url", "cache", "features", "least_probable", "model", "unified")
"""Settings of methods that messages name; they are given with --set."""

_NAMES = "|".join((*FLAGS, *SETTINGS))
_PARAMETER = re.compile(
    r"(?<![-\w.'\"={])(?<!\w\()(?<!--set )(?<!--column )"
    rf"(?P<name>{_NAMES})=(?P<value>'[^']*'|\"[^\"]*\"|\{{[^}}]*\}}|\[[^\]]*\]|[^\s,;)]+)"
)
_ROLE = re.compile(r"['\"](\w+)['\"]: ['\"]?([^'\",}]*)")
_EDGE = re.compile(r"\[\((['\"])(.*)\1, (['\"])(.*)\3\)\]")


def in_flags(message: str) -> str:
    """Return a message of the library with the options of the command line in it.

    Parameters
    ----------
    message
        What the library said.

    Examples
    --------
    >>> in_flags("to keep them use with_mistakes=True, or order='start'")
    'to keep them use --with-mistakes, or --order start'
    >>> in_flags("columns={'recording': NAME, 'step': 'what'} names them")
    '--column recording=NAME --column step=what names them'
    >>> in_flags("least_probable=0.5 rules it out")
    '--set least_probable=0.5 rules it out'
    >>> in_flags("never=[('A', 'B')] rules it out")
    "--never 'A needs B' rules it out"
    """
    return _PARAMETER.sub(_flag, message)


def _flag(found: re.Match[str]) -> str:
    name, value = found["name"], found["value"]
    if name in SETTINGS:
        plain = value.strip("'\"")
        return f"--set {name}={plain.lower() if plain in ('True', 'False') else plain}"
    if value == "True":
        return FLAGS[name]
    if value.startswith("{"):
        return " ".join(f"{FLAGS[name]} {role}={column}" for role, column in _ROLE.findall(value))
    if edge := _EDGE.fullmatch(value):
        return f"{FLAGS[name]} '{edge[2]} needs {edge[4]}'"
    plain = value.strip("'\"")
    return f"{FLAGS[name]} {repr(plain) if ' ' in plain else plain}"
