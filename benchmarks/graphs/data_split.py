"""What Table 1 learns from: recordings, segments and hours of each recipe, beside the paper's.

The paper does not say how it measures hours. Each definition that the annotations allow is
computed, and the notes say which one gives the paper's digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.datasets.captaincook4d import letters
from benchmarks.datasets.directory import data_directory, data_file
from benchmarks.harness import BenchmarkResult, Column, Request, Row
from stepgraph.formats.json_text import read_json

PAPER = {
    "Microwave Egg Sandwich": (5, 60, 0.9),
    "Dressed Up Meatballs": (8, 128, 2.7),
    "Microwave Mug Pizza": (6, 84, 1.2),
    "Ramen": (11, 165, 2.7),
    "Coffee": (9, 144, 2.2),
    "Breakfast Burritos": (8, 88, 1.5),
    "Spiced Hot Chocolate": (7, 49, 0.9),
    "Microwave French Toast": (11, 121, 2.2),
    "Pinwheels": (5, 95, 0.8),
    "Tomato Mozzarella Salad": (13, 117, 1.3),
    "Butter Corn Cup": (5, 60, 1.4),
    "Tomato Chutney": (5, 95, 2.6),
    "Scrambled Eggs": (6, 138, 2.6),
    "Cucumber Raita": (12, 132, 2.7),
    "Zoodles": (6, 78, 1.1),
    "Sauted Mushrooms": (7, 126, 2.9),
    "Blender Banana Pancakes": (10, 140, 2.4),
    "Herb Omelet with Fried Tomatoes": (8, 120, 2.4),
    "Broccoli Stir Fry": (10, 250, 5.2),
    "Pan Fried Tofu": (9, 171, 3.6),
    "Mug Cake": (9, 180, 3.0),
    "Cheese Pimiento": (7, 77, 1.6),
    "Spicy Tuna Avocado Wraps": (9, 153, 2.6),
    "Caprese Bruschetta": (8, 88, 2.4),
}
"""The paper's table on its data split: videos, segments and hours."""
TOTAL = "total"
PAPERS_TOTAL = (194, 2859, 53.0)

Segments = Sequence[Row]
HOURS: dict[str, tuple[str, Callable[[Segments], float]]] = {
    "hours": (
        "the end of the segment that the file lists last",
        lambda segments: float(segments[-1]["end_time"]),
    ),
    "hours_latest": (
        "the latest end of a segment",
        lambda segments: max(float(each["end_time"]) for each in segments),
    ),
    "hours_span": (
        "the latest end minus the earliest start of a step that was done",
        lambda segments: (
            max(float(each["end_time"]) for each in segments)
            - min(float(each["start_time"]) for each in segments if each["start_time"] >= 0)
        ),
    ),
    "hours_segments": (
        "the sum of the segments' durations",
        lambda segments: sum(float(each["end_time"]) - each["start_time"] for each in segments),
    ),
}
"""Ways to measure how long a recording is, in seconds: what each is, and how it is computed."""


def run(request: Request) -> BenchmarkResult:
    """Count recordings, segments and hours of every recipe in the clean split."""
    directory = data_directory(request.data, needs=("captaincook4d",))
    path = data_file(directory, "captaincook4d", "task_graph_generation_annotations.json")
    recipes: dict[str, list[Segments]] = {}
    for recording in read_json(path)["annotations"].values():
        name = recording.get("activity_name") or recording["scenario"]
        recipes.setdefault(name, []).append(recording["segments"])
    rows = [_row(name, recordings) for name, recordings in recipes.items()]
    rows.append(_total(rows))
    return BenchmarkResult(
        "data-split",
        f"CaptainCook4D, the {len(recipes)} recipes without order errors or missing steps that "
        "graphs are learned from: recordings, segments and hours beside the paper's",
        rows,
        COLUMNS,
        [*_notes(rows), *_surprises(recipes)],
    )


def _row(name: str, recordings: Sequence[Segments]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "recipe": name,
        "recordings": len(recordings),
        "segments": sum(map(len, recordings)),
    }
    for key, (_, seconds) in HOURS.items():
        row[key] = sum(map(seconds, recordings)) / 3600
    published = {letters(known): figures for known, figures in PAPER.items()}
    return _beside_paper(row, published.get(letters(name)))


def _total(rows: Sequence[Row]) -> dict[str, Any]:
    total: dict[str, Any] = {"recipe": TOTAL}
    for key in ("recordings", "segments", *HOURS):
        total[key] = sum(row[key] for row in rows)
    whole = len(rows) == len(PAPER) and all("paper" in row for row in rows)
    return _beside_paper(total, PAPERS_TOTAL if whole else None)


def _beside_paper(row: dict[str, Any], published: tuple[int, int, float] | None) -> dict[str, Any]:
    if published is not None:
        row["paper"] = dict(zip(("videos", "segments", "hours"), published, strict=True))
    return row


def _notes(rows: Sequence[Row]) -> list[str]:
    """Return how many recipes have the paper's digits, by definition of hours."""
    *recipes, total = rows
    known = [row for row in recipes if "paper" in row]
    if not known:
        return ["none of the recipes is in the paper's table"]
    counted = sum(
        (row["recordings"], row["segments"]) == (row["paper"]["videos"], row["paper"]["segments"])
        for row in known
    )
    notes = [f"recordings and segments are the paper's for {counted} of {len(known)} recipes"]
    for key, (about, _) in HOURS.items():
        same = sum(_shown(row[key]) == _shown(row["paper"]["hours"]) for row in known)
        notes.append(
            f"hours as {about}: the paper's digit for {same} of {len(known)} recipes, "
            f"{total[key]:.2f} h in all"
        )
    if "paper" in total and _shown(total["hours"]) != _shown(total["paper"]["hours"]):
        rounded = sum(row["paper"]["hours"] for row in known)
        notes.append(
            f"the paper's total of {_shown(total['paper']['hours'])} h does not come out: its own "
            f"rounded rows add up to {rounded:.1f} h, the definition with its digits to "
            f"{total['hours']:.2f} h"
        )
    return notes


def _surprises(recipes: dict[str, list[Segments]]) -> list[str]:
    """Return which recipes list segments that end before others last."""
    never: list[str] = []
    early: list[str] = []
    for name, recordings in recipes.items():
        for segments in recordings:
            last = segments[-1]["end_time"]
            if last < 0:
                never.append(name)
            elif last < max(each["end_time"] for each in segments):
                early.append(name)
    notes = []
    if never:
        notes.append(
            f"{len(never)} recordings ({', '.join(dict.fromkeys(never))}) list last a step that "
            "was never done and ends at -1 s, so by the paper's digits they last less than nothing"
        )
    if early:
        notes.append(
            f"{len(early)} recordings ({', '.join(dict.fromkeys(early))}) list last a segment "
            "that ends before another one"
        )
    return notes


def _shown(hours: float) -> str:
    return f"{hours:.1f}"


def _of_paper(key: str) -> Callable[[Row], str]:
    def cell(row: Row) -> str:
        value = row.get("paper", {}).get(key)
        return "" if value is None else f"{value:,}"

    return cell


COLUMNS = (
    Column("recipe", lambda row: str(row["recipe"])),
    Column("recordings", lambda row: f"{row['recordings']:,}"),
    Column("paper's", _of_paper("videos")),
    Column("segments", lambda row: f"{row['segments']:,}"),
    Column("paper's", _of_paper("segments")),
    Column("hours", lambda row: _shown(row["hours"])),
    Column("paper's", _of_paper("hours")),
    Column("latest end", lambda row: _shown(row["hours_latest"])),
    Column("span", lambda row: _shown(row["hours_span"])),
    Column("in segments", lambda row: _shown(row["hours_segments"])),
)
