# %% [markdown]
# # Watch a stream
#
# Judge steps as they come, one after the other, from anything that can be iterated over.

# %%
from collections.abc import Iterator

import stepgraph
from stepgraph.monitoring import UncertainMonitor, explain

graph = stepgraph.load_procedure("seed-tray").graph
graph


# %%
def recogniser() -> Iterator[str]:
    """Stand in for a camera: yield steps as they are recognised."""
    yield from ("crumble the compost", "fill the tray", "sow the seeds", "press in the rows")


monitor = stepgraph.Monitor(graph)
for step in recogniser():
    print(explain(monitor.observe(step), graph))
print("still to do:", ", ".join(monitor.finish().open))

# %% [markdown]
# ## A recogniser that errs
#
# Where one step in ten is missed, confused or made up, the same stream gives probabilities: perhaps
# the missing step was done, and not seen.

# %%
uncertain = UncertainMonitor(graph, error_rate=0.1)
for step in recogniser():
    verdict = uncertain.observe(step)
    print(f"{step}: wrong with a probability of {verdict.probability:.2f}")
