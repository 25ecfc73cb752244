"""What `mkdocs` adds to the pages in `docs`: examples, command line, reference and decisions.

The examples are the notebooks, the command line's page is its own help, and the reference is made
of docstrings, all when the site is built, so that none can be out of date. A page that the
navigation does not name stands at the end of the guides.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

import stepgraph
from stepgraph.cli.main import app

sys.path.append(str(Path(__file__).parent))  # mkdocs loads this file alone
from site_search import surprises

PACKAGE = Path(stepgraph.__file__).parent
NOTEBOOKS = sorted((Path(__file__).parent.parent / "examples").glob("*.ipynb"))
HELP_WIDTH = 80
LOADING = re.compile(
    r"""<(?:script|img|iframe)[^>]*\bsrc=["']https?:[^>]*>"""
    r"""|<link[^>]*rel=["']stylesheet["'][^>]*href=["']https?:[^>]*>"""
)
RANKS = {
    "decisions/": 0.001,
    "reference/": 0.01,
    "claims.md": 0.01,
    "architecture.md": 0.01,
    "licences.md": 0.01,
    "examples/": 0.3,
    "benchmarks.md": 0.3,
    "reproducing.md": 0.3,
}
"""The weight of a page in the search, where guides have 1 and words in titles count 1,000 times."""
SCRIPT_FROM_THE_NETWORK = "https://unpkg.com/iframe-worker/shim"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Complete the navigation."""
    docs = Path(config.docs_dir)
    sections = {title: pages for entry in config.nav for title, pages in entry.items()}
    decisions = sorted(str(path.relative_to(docs)) for path in docs.glob("decisions/*.md"))
    named = {*decisions, *_pages(sections)}
    for path in sorted(docs.rglob("*.md")):
        page = str(path.relative_to(docs))
        if page not in named:
            sections["How to" if page.startswith("how-to/") else "Guides"].append(page)
    modules = [{f"stepgraph.{name}": f"reference/{name}.md"} for name in _modules()]
    examples = {"Examples": [f"examples/{path.stem}.md" for path in NOTEBOOKS]}
    before = list(sections).index("Evidence")
    config.nav = [
        *config.nav[:before],
        examples,
        *config.nav[before:],
        {
            "Reference": [
                {"Command line": "reference/command-line.md"},
                {"stepgraph": "reference/stepgraph.md"},
                *modules,
            ]
        },
        {"Decisions": ["decisions/index.md", *decisions]},
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages = {
        "reference/command-line.md": command_line_page(),
        "reference/stepgraph.md": names_page(),
        "decisions/index.md": decisions_page(Path(config.docs_dir) / "decisions"),
    }
    for name in _modules():
        pages[f"reference/{name}.md"] = module_page(name)
    for path in NOTEBOOKS:
        pages[f"examples/{path.stem}.md"] = notebook_page(path)
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let the search find a guide before the reference, and that before a decision record."""
    del config, files
    for beginning, weight in RANKS.items():
        if page.file.src_uri.startswith(beginning):
            page.meta["search"] = {"boost": weight}
    return markdown


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG001
    """Take the one script that the theme would load from the network from our own folder."""
    return output.replace(
        SCRIPT_FROM_THE_NETWORK, get_relative_url("assets/worker-on-disk.js", page.url)
    )


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    """Do the same for the page that is no page, which knows no place but the site's root."""
    del template_name, config
    return output_content.replace(SCRIPT_FROM_THE_NETWORK, "/assets/worker-on-disk.js")


def on_post_build(config: MkDocsConfig) -> None:
    """Refuse a site that loads anything from elsewhere, or whose search misses the answer."""
    for path in sorted(Path(config.site_dir).rglob("*.html")):
        for tag in LOADING.findall(path.read_text()):
            raise PluginError(f"{path}: loads from the network: {tag}; ship it under docs/assets")
    for surprise in surprises(Path(config.site_dir)):
        raise PluginError(f"the search: {surprise}; see RANKS in tools/site.py")


def command_line_page() -> str:
    """Return the help of the program and of each of its commands."""
    parts = ["# Command line", "What `--help` says of each command."]
    for name, text in _helps(typer.main.get_command(app), "stepgraph"):
        parts += [f"## {name}", f"```text\n{text.rstrip()}\n```"]
    return "\n\n".join(parts) + "\n"


def names_page() -> str:
    """Return a page of the names that `import stepgraph` offers."""
    parts = [
        "# stepgraph",
        "The names that `import stepgraph` offers, each documented where it lives.",
    ]
    parts += [f"::: {home}.{name}" for name, home in sorted(stepgraph._HOMES.items())]
    return "\n\n".join(parts) + "\n"


def module_page(name: str) -> str:
    """Return a page of one module's or package's docstrings, with the names that it exports."""
    path = PACKAGE / name / "__init__.py"
    source = ast.parse((path if path.exists() else PACKAGE / f"{name}.py").read_text())
    exported = _exported(source)
    lines = [f"# stepgraph.{name}", "", f"::: stepgraph.{name}"]
    lines += ["    options:", "      show_root_heading: false"]
    if exported is not None:
        lines += ["      members:", *(f"        - {member}" for member in exported)]
    for path in sorted(_used_names()):
        home, _, member = path.rpartition(".")
        if home.startswith(f"stepgraph.{name}.") and member not in (exported or ()):
            lines += ["", f"::: {path}"]
    return "\n".join(lines) + "\n"


@cache
def _used_names() -> frozenset[str]:
    """Return what the pages and examples import from stepgraph: that must be in the reference."""
    root = Path(__file__).parent.parent
    fence = re.compile(r"^( *)```python\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
    pages = [path.read_text(encoding="utf-8") for path in sorted((root / "docs").rglob("*.md"))]
    code = [textwrap.dedent(block) for page in pages for _, block in fence.findall(page)]
    code += [path.read_text(encoding="utf-8") for path in sorted((root / "examples").glob("*.py"))]
    return frozenset(
        f"{statement.module}.{name.name}"
        for text in code
        for statement in ast.walk(ast.parse(text))
        if isinstance(statement, ast.ImportFrom)
        and (statement.module or "").startswith("stepgraph.")
        for name in statement.names
    )


def notebook_page(path: Path) -> str:
    """Return a notebook as a page: its text, its code, and what came out."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", []):
            shown = output.get("data", {"text/plain": output.get("text", [])})
            if "image/svg+xml" in shown:
                parts.append(f"<div>\n{''.join(shown['image/svg+xml'])}</div>")
            else:
                parts.append(f"```text\n{''.join(shown['text/plain']).rstrip()}\n```")
    name = f"examples/{path.name}"
    return "\n\n".join([*parts, f"This page is the notebook `{name}` of the repository.", ""])


def decisions_page(folder: Path) -> str:
    """Return a list of the decision records."""
    lines = [
        "# Decisions",
        "",
        "Each says what was decided and the measurement that led to it.",
        "",
    ]
    for path in sorted(folder.glob("*.md")):
        title = path.read_text().splitlines()[0].removeprefix("# ")
        lines.append(f"- [{title.replace('. ', ': ', 1)}]({path.name})")
    return "\n".join(lines) + "\n"


def _modules() -> list[str]:
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    modules = {path.stem for path in PACKAGE.glob("*.py") if not path.stem.startswith("_")}
    return sorted((packages | modules) - {"cli"})


def _exported(source: ast.Module) -> list[str] | None:
    for statement in source.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(statement.value)
            return names
    return None


def _helps(command: Any, name: str) -> Iterator[tuple[str, str]]:
    context = click.Context(command, info_name=name, max_content_width=HELP_WIDTH)
    context.terminal_width = HELP_WIDTH
    yield name, command.get_help(context)
    for child, below in getattr(command, "commands", {}).items():
        yield from _helps(below, f"{name} {child}")


def _pages(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    for below in entry.values() if isinstance(entry, dict) else entry:
        if not isinstance(entry, str):
            yield from _pages(below)
