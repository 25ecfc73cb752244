# %% [markdown]
# # Train on a log with a thousand procedures
#
# An event log has one row for each event. This one is made up: a thousand procedures with known
# graphs, six recordings each. A procedure is two lines of work that run side by side and meet in
# the last step. It needs `pip install 'stepgraph[logs]'`.

# %%
import csv
import random
import tempfile
from pathlib import Path

import stepgraph
from stepgraph import TaskGraph
from stepgraph.evaluation import compare_edges, macro_average
from stepgraph.logs import open_log


def random_procedure(steps, rng):
    """Return a procedure of two lines of work."""
    lines, needs = [[], []], {}
    for number in range(1, steps):
        line = rng.choice(lines)
        needs[f"step {number}"] = line[-1:]
        line.append(f"step {number}")
    needs["finish"] = [line[-1] for line in lines if line]
    return TaskGraph.from_preconditions(needs)


def random_order(graph, rng):
    """Return the steps in an order that the graph allows."""
    done = []
    while possible := graph.executable(done):
        done.append(rng.choice(possible))
    return done


rng = random.Random(0)
known = {f"product {number:04d}": random_procedure(5 + number % 4, rng) for number in range(1000)}
folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "events.csv"
with path.open("w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["product", "case", "activity", "time"])
    for product, graph in known.items():
        for number in range(6):
            for time, step in enumerate(random_order(graph, rng)):
                writer.writerow([product, f"{product}, recording {number}", step, time])

# %% [markdown]
# `open_log` finds the columns by their usual names, except those that it is told, and turns
# recordings into weighted variants: equal ones count once, with their number.

# %%
with open_log(path, columns={"procedure": "product"}) as log:
    recordings = sum(size.recordings for size in log.procedures)
    variants = sum(size.variants for size in log.procedures)
    print(f"{len(log.procedures)} procedures, {recordings} recordings in {variants} variants")
    report = stepgraph.learn_procedures(
        log.procedures, stepgraph.LearningOptions("do"), fetch=log.demonstrations
    )
folder.cleanup()
print(f"{len(report.learned)} learned, {len(report.failed)} failed, {report.batches} batches")

# %% [markdown]
# ## How good are they?
#
# The procedures are random, so their graphs are known. Six recordings do not show every order that
# is allowed, so that some edges too many are found.

# %%
pairs = [(outcome.graph, known[outcome.procedure]) for outcome in report.learned]
precision, recall, f1 = macro_average([compare_edges(*pair) for pair in pairs])
print(f"precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}")
print(sum(set(found.edges) == set(true.edges) for found, true in pairs), "graphs are exactly right")

# %%
pairs[0][0]
