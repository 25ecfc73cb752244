"""Empty Python environments, with the wheel and at most one extra in them.

What an extra needs comes from the package index, or is borrowed from the environment that the tests
run in: links to the packages that the extra asks for, to those that these need, and to no others.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

from tests.packaging.declared import ROOT, brought_along, requirements


@dataclass(frozen=True)
class Environment:
    """A virtual environment outside the source tree.

    Parameters
    ----------
    folder
        Where the environment is.
    work
        The folder that its programs run in.
    """

    folder: Path
    work: Path

    def run(self, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run the environment's Python with the words, as a user's shell would."""
        return self.call(str(self.folder / "bin" / "python"), *words, given=given)

    def stepgraph(self, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run the command line."""
        return self.call(str(self.folder / "bin" / "stepgraph"), *words, given=given)

    def call(self, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run a program that knows nothing of the environment that the tests run in."""
        hidden = {
            "PYTHONPATH",
            "PYTHONHOME",
            "PYTHONDONTWRITEBYTECODE",
            "STEPGRAPH_DATA",
            "VIRTUAL_ENV",
        }
        return subprocess.run(
            words,
            cwd=self.work,
            env={name: value for name, value in os.environ.items() if name not in hidden},
            input=given,
            capture_output=True,
            text=True,
        )

    @property
    def megabytes(self) -> float:
        """How large all files in it are, the byte code that Python has made so far included."""
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return sum(path.stat().st_size for path in files if not path.is_symlink()) / 1e6


def build(folder: Path) -> Path:
    """Build the source archive, and from it the wheel; return the wheel."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def interpreter(version: str) -> str | None:
    """Return a Python of this version on this machine, such as ``"3.13"``, if there is one."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    name = f"python{version}"
    candidates = [shutil.which(name), *sorted(pyenv.glob(f"{version}.*/bin/{name}"))]
    for program in filter(None, candidates):
        # The one on the path may be pyenv's stand-in for a version that is not chosen.
        done = subprocess.run([str(program), "--version"], capture_output=True)
        if done.returncode == 0:
            return str(program)
    return None


def install(
    wheel: Path,
    extra: str,
    folder: Path,
    python: str = sys.executable,
    versions: Sequence[str] = (),
) -> Environment:
    """Put the wheel with an extra (or none) into an empty environment, by pip and its index.

    Some packages' versions may be given, such as ``"numpy==1.26"``; otherwise those that `make`
    installs are.
    """
    environment = _empty(folder, python)
    wanted = f"{wheel}[{extra}]" if extra else str(wheel)
    known = versions or ("--constraint", str(ROOT / "constraints.txt"))
    _pip(environment, *known, wanted)
    return environment


def borrow(wheel: Path, extra: str, folder: Path) -> Environment:
    """Put the wheel into an empty environment, with links to what an extra (or none) brings."""
    environment = _empty(folder, sys.executable)
    _pip(environment, "--no-deps", "--no-index", str(wheel))
    (place,) = environment.folder.glob("lib/python*/site-packages")
    asked_for = requirements()
    for name in brought_along([*asked_for[""], *asked_for[extra]]):
        package = distribution(name)
        tops = {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}
        for top in tops:
            if not (place / top).exists():
                (place / top).symlink_to(str(package.locate_file(top)))
    return environment


def _empty(folder: Path, python: str) -> Environment:
    place, work = folder / "environment", folder / "work"
    work.mkdir(parents=True)
    subprocess.run([python, "-m", "venv", "--without-pip", str(place)], check=True)
    return Environment(place, work)


def _pip(environment: Environment, *words: str) -> None:
    pip = [sys.executable, "-m", "pip", "--python", str(environment.folder / "bin" / "python")]
    command = [*pip, "install", "--quiet", "--no-compile", *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
