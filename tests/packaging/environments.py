"""Empty Python environments, with the wheel and at most one extra in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.packaging.declared import ROOT


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
        hidden = {"PYTHONPATH", "PYTHONHOME", "TGML_DATA", "VIRTUAL_ENV"}
        return subprocess.run(
            [str(self.folder / "bin" / "python"), *words],
            cwd=self.work,
            env={name: value for name, value in os.environ.items() if name not in hidden},
            input=given,
            capture_output=True,
            text=True,
        )

    def tgml(self, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run the command line."""
        return self.run("-m", "tgml", *words, given=given)

    @property
    def megabytes(self) -> float:
        """How large the installed files are, without the byte code that Python makes of them."""
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        installed = [path for path in files if not path.is_symlink() and path.suffix != ".pyc"]
        return sum(path.stat().st_size for path in installed) / 1e6


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


def install(wheel: Path, extra: str, folder: Path, python: str = sys.executable) -> Environment:
    """Put the wheel with an extra (or none) into an empty environment."""
    place, work = folder / "environment", folder / "work"
    work.mkdir(parents=True)
    subprocess.run([python, "-m", "venv", "--without-pip", str(place)], check=True)
    wanted = f"{wheel}[{extra}]" if extra else str(wheel)
    pip = [sys.executable, "-m", "pip", "--python", str(place / "bin" / "python"), "install"]
    options = ["--quiet", "--no-compile", "--constraint", str(ROOT / "constraints.txt")]
    done = subprocess.run([*pip, *options, wanted], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return Environment(place, work)
