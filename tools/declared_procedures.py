"""The procedures that ship with stepgraph, as somebody who knows them declares them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stepgraph.graph import Provenance, TaskGraph


@dataclass(frozen=True)
class Recipe:
    """One procedure, as declared here.

    Parameters
    ----------
    name, domain, about
        What it is called, where it is done, and what is done in one sentence.
    seed
        What its demonstrations are drawn with.
    steps
        For each step its typical time in seconds, then what it needs directly.
    forgettable
        Mandatory steps that somebody can leave out, or do late, and go on nevertheless.
    optional
        Steps that may be left out.
    repeatable
        Steps that may be done again, each with the step after whose first occurrence that
        may happen (itself, or one that needs it) and the step before which it must.
    clean, order, skipped
        How many recordings without a mistake, with an order mistake, with a skipped step.
    """

    name: str
    domain: str
    about: str
    seed: int
    steps: Mapping[str, tuple[int, *tuple[str, ...]]]
    forgettable: tuple[str, ...]
    optional: tuple[str, ...] = ()
    repeatable: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    clean: int = 14
    order: int = 3
    skipped: int = 2

    def graph(self) -> TaskGraph:
        """Return the true graph, after checking that the declaration makes sense."""
        graph = TaskGraph.from_preconditions(
            {step: needs for step, (_, *needs) in self.steps.items()},
            procedure=self.name,
            provenance=Provenance(
                other={
                    "about": self.about,
                    "domain": self.domain,
                    "optional": list(self.optional),
                    "repeatable": list(self.repeatable),
                    "simulated": f"from the graph by tools/make_procedures.py, seed {self.seed}",
                }
            ),
        )
        if graph.steps != tuple(self.steps):
            raise ValueError(f"{self.name}: a step is needed that is declared later or never")
        for step in graph.steps:
            direct = graph.preconditions_of(step)
            for needed in direct:
                if any(needed in graph.all_preconditions_of(other) for other in direct):
                    raise ValueError(f"{self.name}: {step!r} need not list {needed!r}")
        for step in self.optional:
            if graph.dependents_of(step) or step in self.forgettable:
                raise ValueError(f"{self.name}: {step!r} is not optional")
        for step, (after, until) in self.repeatable.items():
            if step not in (after, *graph.all_preconditions_of(after)):
                raise ValueError(f"{self.name}: {after!r} does not come after {step!r}")
            if after not in graph.all_preconditions_of(until):
                raise ValueError(f"{self.name}: {until!r} does not come after {after!r}")
        return graph


RECIPES = (
    Recipe(
        name="pancakes",
        domain="kitchen",
        about="Make a stack of pancakes and serve it.",
        seed=1,
        steps={
            "measure the flour": (25,),
            "crack the eggs": (20,),
            "pour in the milk": (10,),
            "whisk the batter": (60, "measure the flour", "crack the eggs", "pour in the milk"),
            "rinse the whisk": (20, "whisk the batter"),
            "heat the pan": (90,),
            "grease the pan": (10, "heat the pan"),
            "fry a pancake": (120, "whisk the batter", "grease the pan"),
            "stack the pancakes": (15, "fry a pancake"),
            "warm the syrup": (45,),
            "lay out the plates": (20,),
            "dust with sugar": (8, "stack the pancakes"),
            "serve the pancakes": (25, "stack the pancakes", "lay out the plates"),
        },
        forgettable=("pour in the milk", "heat the pan", "grease the pan", "lay out the plates"),
        optional=("rinse the whisk", "warm the syrup", "dust with sugar"),
        repeatable={
            "fry a pancake": ("fry a pancake", "stack the pancakes"),
            "grease the pan": ("fry a pancake", "stack the pancakes"),
        },
        clean=15,
    ),
    Recipe(
        name="picnic-basket",
        domain="home",
        about="Get everything ready for a picnic, in almost any order.",
        seed=2,
        steps={
            "boil the water": (150,),
            "fill the flask": (20, "boil the water"),
            "wash the grapes": (30,),
            "box the grapes": (15, "wash the grapes"),
            "butter the bread": (60,),
            "wrap the sandwiches": (40, "butter the bread"),
            "gather the cutlery": (20,),
            "close the basket": (
                10,
                "fill the flask",
                "box the grapes",
                "wrap the sandwiches",
                "gather the cutlery",
            ),
            "fold the blanket": (25,),
            "find the ball": (40,),
            "put on sunscreen": (50,),
            "water the balcony plants": (90,),
            "tell the neighbours": (60,),
        },
        forgettable=("wash the grapes", "gather the cutlery", "fill the flask", "box the grapes"),
        clean=16,
        order=2,
    ),
    Recipe(
        name="gram-stain",
        domain="laboratory",
        about="Stain bacteria on a slide with two dyes and look at them.",
        seed=3,
        steps={
            "label the slide": (15,),
            "spread the sample": (30, "label the slide"),
            "let the smear dry": (180, "spread the sample"),
            "pass the slide through the flame": (10, "let the smear dry"),
            "flood with violet": (60, "pass the slide through the flame"),
            "rinse off the violet": (10, "flood with violet"),
            "flood with iodine": (60, "rinse off the violet"),
            "rinse off the iodine": (10, "flood with iodine"),
            "drip on alcohol": (15, "rinse off the iodine"),
            "rinse off the alcohol": (10, "drip on alcohol"),
            "flood with safranin": (45, "rinse off the alcohol"),
            "rinse off the safranin": (10, "flood with safranin"),
            "blot the slide": (20, "rinse off the safranin"),
            "switch on the microscope": (10,),
            "look at the slide": (120, "blot the slide", "switch on the microscope"),
        },
        forgettable=(
            "label the slide",
            "let the smear dry",
            "pass the slide through the flame",
            "rinse off the violet",
            "rinse off the iodine",
            "rinse off the alcohol",
            "blot the slide",
        ),
        clean=12,
    ),
    Recipe(
        name="birdhouse",
        domain="workshop",
        about="Build a wooden birdhouse from one board and paint it.",
        seed=4,
        steps={
            "mark the board": (120,),
            "saw the front": (90, "mark the board"),
            "saw the sides": (150, "mark the board"),
            "saw the roof": (110, "mark the board"),
            "saw the floor": (70, "mark the board"),
            "drill the entrance": (60, "saw the front"),
            "drill the drain holes": (40, "saw the floor"),
            "sand the front": (80, "drill the entrance"),
            "sand the sides": (100, "saw the sides"),
            "glue the sides to the floor": (120, "sand the sides", "drill the drain holes"),
            "screw on the front": (90, "sand the front", "glue the sides to the floor"),
            "screw on the roof": (80, "saw the roof", "screw on the front"),
            "set the perch": (30, "drill the entrance"),
            "stir the paint": (45,),
            "paint the outside": (300, "set the perch", "stir the paint", "screw on the roof"),
            "cut the wire": (20,),
            "hook in the hanger": (30, "cut the wire", "screw on the roof"),
        },
        forgettable=(
            "drill the drain holes",
            "sand the front",
            "sand the sides",
            "set the perch",
            "stir the paint",
        ),
        clean=15,
    ),
    Recipe(
        name="reading-lamp",
        domain="electronics",
        about="Solder a small LED lamp from a kit and light it.",
        seed=5,
        steps={
            "put on the safety glasses": (8,),
            "heat the soldering iron": (120,),
            "tin the tip": (15, "heat the soldering iron"),
            "sort the parts": (60,),
            "bend the resistor's legs": (20, "sort the parts"),
            "insert the resistor": (15, "bend the resistor's legs"),
            "find the LED's long leg": (15, "sort the parts"),
            "insert the LED": (15, "find the LED's long leg"),
            "insert the switch": (12, "sort the parts"),
            "solder the resistor": (
                30,
                "put on the safety glasses",
                "tin the tip",
                "insert the resistor",
            ),
            "solder the LED": (30, "put on the safety glasses", "tin the tip", "insert the LED"),
            "solder the switch": (
                35,
                "put on the safety glasses",
                "tin the tip",
                "insert the switch",
            ),
            "clip the legs": (25, "solder the resistor", "solder the LED"),
            "switch off the iron": (
                5,
                "solder the resistor",
                "solder the LED",
                "solder the switch",
            ),
            "check the joints": (40, "clip the legs", "solder the switch"),
            "put in the battery": (15, "check the joints"),
            "press the switch": (5, "put in the battery"),
        },
        forgettable=(
            "put on the safety glasses",
            "tin the tip",
            "find the LED's long leg",
            "clip the legs",
            "check the joints",
            "switch off the iron",
        ),
    ),
    Recipe(
        name="change-a-dressing",
        domain="care",
        about="Change the dressing on a wound that heals well.",
        seed=6,
        steps={
            "explain what will happen": (40,),
            "wash the hands": (40,),
            "open the dressing pack": (20, "wash the hands"),
            "put on the gloves": (15, "wash the hands"),
            "moisten the swabs": (15, "open the dressing pack", "put on the gloves"),
            "take off the old dressing": (30, "explain what will happen", "put on the gloves"),
            "bag the old dressing": (8, "take off the old dressing"),
            "inspect the wound": (30, "take off the old dressing"),
            "note the wound's size": (20, "inspect the wound"),
            "wipe the wound": (20, "moisten the swabs", "inspect the wound"),
            "pat the skin dry": (20, "wipe the wound"),
            "lay on the new dressing": (20, "pat the skin dry"),
            "tape the edges": (25, "lay on the new dressing"),
            "take off the gloves": (10, "bag the old dressing", "tape the edges"),
            "write up the change": (60, "take off the gloves"),
        },
        forgettable=(
            "explain what will happen",
            "wash the hands",
            "put on the gloves",
            "bag the old dressing",
            "inspect the wound",
            "pat the skin dry",
        ),
        optional=("note the wound's size",),
        repeatable={"wipe the wound": ("wipe the wound", "pat the skin dry")},
        clean=13,
        skipped=3,
    ),
    Recipe(
        name="puncture",
        domain="bicycle workshop",
        about="Find and patch a hole in a bicycle tube.",
        seed=7,
        steps={
            "turn the bicycle over": (15,),
            "open the brake": (8,),
            "let out the air": (15,),
            "loosen the axle": (20,),
            "lift out the wheel": (
                15,
                "turn the bicycle over",
                "open the brake",
                "loosen the axle",
            ),
            "lever off the tyre": (60, "let out the air", "lift out the wheel"),
            "pull out the tube": (20, "lever off the tyre"),
            "feel for thorns in the tyre": (30, "pull out the tube"),
            "find the hole": (90, "pull out the tube"),
            "roughen the rubber": (20, "find the hole"),
            "spread the glue": (15, "roughen the rubber"),
            "let the glue set": (180, "spread the glue"),
            "peel the patch": (8,),
            "press on the patch": (30, "let the glue set", "peel the patch"),
            "tuck in the tube": (40, "feel for thorns in the tyre", "press on the patch"),
            "seat the tyre": (60, "tuck in the tube"),
            "put the wheel back": (30, "seat the tyre"),
            "tighten the axle": (20, "put the wheel back"),
            "pump up the tyre": (60, "seat the tyre"),
            "close the brake": (8, "put the wheel back"),
        },
        forgettable=(
            "turn the bicycle over",
            "feel for thorns in the tyre",
            "roughen the rubber",
            "let the glue set",
            "tighten the axle",
            "close the brake",
        ),
    ),
    Recipe(
        name="seed-tray",
        domain="garden",
        about="Sow seeds in a tray and label it.",
        seed=8,
        steps={
            "soak the seeds": (120,),
            "crumble the compost": (40,),
            "fill the tray": (60, "crumble the compost"),
            "press in the rows": (30, "fill the tray"),
            "sow the seeds": (60, "soak the seeds", "press in the rows"),
            "cover the seeds": (40, "sow the seeds"),
            "write the label": (20,),
            "stick in the label": (8, "fill the tray", "write the label"),
            "water the tray": (25, "cover the seeds"),
            "wipe the table": (30,),
            "close the lid": (10, "water the tray", "stick in the label"),
        },
        forgettable=(
            "soak the seeds",
            "press in the rows",
            "cover the seeds",
            "stick in the label",
            "water the tray",
        ),
        optional=("wipe the table",),
        repeatable={"water the tray": ("water the tray", "close the lid")},
        clean=12,
        order=2,
    ),
)
