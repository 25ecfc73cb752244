"""Reading text files strictly, and writing files whole or not at all.

A write goes to a file beside its target, which moves into place when all files are complete. So an
interrupted or failed write leaves no partial file behind.
"""

from __future__ import annotations

import os
import secrets
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tokenize import TokenError

from stepgraph.errors import FileError, FormatError


def read_text(path: str | Path) -> str:
    """Return the text of a UTF-8 file.

    Raises
    ------
    FileError
        If the path is missing, a folder, unreadable, or its bytes are not UTF-8.
    FormatError
        If the file is empty.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        if str(path) == "-":
            raise FileError(
                "-: standard input is not read here; save it as a file and name that"
            ) from None
        raise FileError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise FileError(f"{path}: a folder, expected a file; name one file inside it") from None
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path}: byte {error.start} ({error.object[error.start]:#04x}) is not UTF-8; save the "
            "file with the encoding UTF-8 (a spreadsheet: as 'CSV UTF-8')"
        ) from None
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:  # such as a null byte in the path
        raise FileError(f"{str(path)!r}: no path that can be read ({error})") from None
    if not text.strip():
        raise empty_file(path)
    return text


def empty_file(path: str | Path) -> FormatError:
    """Return the error for a file that holds nothing."""
    return FormatError(f"{path}: the file is empty; was it saved, and is it the right one?")


@contextmanager
def reading_arrays() -> Iterator[None]:
    """Turn every error of numpy about malformed arrays into a ValueError.

    numpy raises several kinds of errors for malformed or oversized arrays. Its warnings, such as
    those about old writers, do not concern the numbers.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (
        EOFError, SyntaxError, TokenError, MemoryError, OverflowError, TypeError
    ) as error:  # fmt: skip
        raise ValueError(str(error) or type(error).__name__) from None


def write_text(path: str | Path, text: str) -> None:
    """Write a UTF-8 file, whole or not at all.

    Raises
    ------
    FileError
        If the file cannot be written; nothing is left behind then.
    FormatError
        If UTF-8 cannot encode the text.
    """
    write_texts({Path(path): text})


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file of bytes, such as a picture, whole or not at all.

    Raises
    ------
    FileError
        If the file cannot be written; nothing is left behind then.
    """
    write_texts({Path(path): content})


def write_texts(texts: Mapping[Path, str | bytes]) -> None:
    """Write several UTF-8 files, all of them or none.

    Parameters
    ----------
    texts
        The texts or bytes by path.

    Raises
    ------
    FileError
        If a file cannot be written; nothing is left behind then.
    FormatError
        If UTF-8 cannot encode a text.
    """
    waiting: dict[Path, Path] = {}
    path = Path()
    try:
        for path, text in texts.items():
            content = _encoded(path, text)
            target = _target(path)
            temporary = target.with_name(f".stepgraph-{secrets.token_hex(8)}.tmp")
            waiting[temporary] = target
            with temporary.open("xb") as stream:
                stream.write(content)
        for temporary, path in waiting.items():
            temporary.replace(path)
    except OSError as error:
        raise FileError(f"{path}: cannot be written ({error.strerror})") from None
    except ValueError as error:  # such as a null byte in the path
        raise FileError(f"{str(path)!r}: no path that can be written ({error})") from None
    finally:  # also after Ctrl-C; after a success nothing is left to remove
        for temporary in waiting:
            with suppress(OSError, ValueError):
                temporary.unlink()


def make_folder(path: str | Path) -> Path:
    """Create a folder and its parents if they do not exist."""
    path = Path(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{path}: the folder cannot be made ({error.strerror})") from None
    return path


def write_into_folder(folder: str | Path, texts: Mapping[str, str]) -> tuple[Path, ...]:
    """Write files into a folder, all of them or none; on failure, remove a new folder.

    Parameters
    ----------
    folder
        The folder; created if missing.
    texts
        The texts by file name.

    Returns
    -------
    tuple
        The paths of the files.
    """
    folder = Path(folder)
    missing = [part for part in (folder, *folder.parents) if not part.exists()]
    make_folder(folder)
    paths = {folder / name: text for name, text in texts.items()}
    try:
        write_texts(paths)
    except BaseException:
        for part in missing:
            with suppress(OSError):
                part.rmdir()
        raise
    return tuple(paths)


def _encoded(path: Path, text: str | bytes) -> bytes:
    if isinstance(text, bytes):
        return text
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        broken = error.object[error.start : error.end]
        raise FormatError(f"{path}: {broken!r} is no character that UTF-8 can hold") from None


def _target(path: Path) -> Path:
    """Return the file that a path leads to; a link stays a link."""
    if path.is_dir():
        raise FileError(f"{path}: a folder, expected a file name to write to")
    if path.exists() and not path.is_file():
        raise FileError(f"{path}: not a plain file; a file is written beside it and moved")
    return Path(os.path.realpath(path))
