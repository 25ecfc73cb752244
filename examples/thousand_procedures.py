# %% [markdown]
# # Train on a log with a thousand procedures
#
# An event log has one row an event. This one is made up: a thousand procedures with known graphs,
# six recordings each. It needs `pip install 'stepgraph[torch,logs]'`.

# %%
import csv
import tempfile
from pathlib import Path

import stepgraph
from benchmarks.generators import draw_demonstrations, random_procedure
from stepgraph.evaluation import compare_edges, macro_average
from stepgraph.logs import open_log

known = {
    f"product {number:04d}": random_procedure(5 + number % 4, width=2, density=0.5, seed=number)
    for number in range(1000)
}
folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "events.csv"
with path.open("w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["product", "case", "activity", "time"])
    for seed, (product, graph) in enumerate(known.items()):
        drawn = draw_demonstrations(graph, 6, seed)
        for recording in drawn:
            case = f"{product}, {recording.id}"
            for time, step in enumerate(drawn.names(recording)):
                writer.writerow([product, case, step, time])

# %% [markdown]
# `open_log` finds the columns by their usual names, except those that it is told, and turns
# recordings into weighted variants: equal ones count once, with their number.

# %%
with open_log(path, columns={"procedure": "product"}) as log:
    recordings = sum(size.recordings for size in log.procedures)
    variants = sum(size.variants for size in log.procedures)
    print(f"{len(log.procedures)} procedures, {recordings} recordings in {variants} variants")
    report = stepgraph.learn_run(log.procedures, "do", fetch=log.demonstrations)
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
