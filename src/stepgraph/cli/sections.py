"""Sections in the help of commands with many options."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

READING = "Reading recordings"
LEARNING = "Learning"
KNOWLEDGE = "Prior knowledge, for 'robust' and 'fusion'"
NAMES = "Step names, for 'tgt-text'"
LOG_COLUMNS = "Columns of an event log"
LOG_FILTERS = "Filters of an event log"
LOG_MEANS = "Limits for an event log"


class SectionedCommand(TyperCommand):
    """A command whose help lists each option below the section that it names."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the sections, arguments and options that name none first."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            kind = "Arguments" if parameter.param_type_name == "argument" else "Options"
            if record is not None:
                title = getattr(parameter, "rich_help_panel", None) or kind
                sections.setdefault(title, []).append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
