# %% [markdown]
# # Audit recordings
#
# Find which recordings are wrong, and where, without being told; then what to record next.
# These twenty recordings of making pancakes ship with stepgraph, and some of them hold mistakes.

# %%
import stepgraph
from stepgraph.insight import advise, audit

recordings = stepgraph.load_procedure("pancakes").demonstrations
found = audit(recordings)
for recording in found.recordings:
    for finding in recording.findings:
        print(f"{recording.id}: {finding.step!r} {finding.slip.value}: {finding.evidence}")

# %% [markdown]
# The audit ignores the marks of annotators. These recordings have them, so that we can count:

# %%
marked = {recording.id for recording in recordings if recording.has_mistakes}
suspected = {recording.id for recording in found.recordings if recording.findings}
print(f"{len(suspected)} of {len(recordings)} recordings are suspected, {len(marked)} are marked")
print(f"both: {len(marked & suspected)}")

# %% [markdown]
# ## What to record next

# %%
advice = advise(recordings)
for question in advice.questions[:2]:
    print(question)
