# %% [markdown]
# # Learn from a CSV
#
# Two columns are enough: which recording, and which step, in the order done.

# %%
import tempfile
from pathlib import Path

import stepgraph

CSV = """recording,step
anna,crack the egg
anna,add milk
anna,mix
anna,heat the pan
anna,fry
ben,heat the pan
ben,add milk
ben,crack the egg
ben,mix
ben,fry
cleo,add milk
cleo,heat the pan
cleo,crack the egg
cleo,mix
cleo,fry
"""

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "omelette.csv"
    path.write_text(CSV)
    graph = stepgraph.learn(path)

# %% [markdown]
# A graph shows itself as a drawing. An arrow goes from a step to what it needs.

# %%
graph

# %% [markdown]
# ## Ask it what a person would ask

# %%
print("mixing needs:", ", ".join(graph.preconditions_of("mix")))
print("after the egg one can:", ", ".join(graph.executable(["crack the egg"])))
print("mixing first is allowed:", graph.is_valid(["mix", "crack the egg", "add milk"]))

# %% [markdown]
# ## Ask what speaks for an edge

# %%
for (step, needed), found in graph.evidence.items():
    print(f"{step!r} needs {needed!r}: so in {found.held:g} recordings, {found.broken:g} against")
