// The panels: the selected step or edge, the edits, the advice and the recordings.

import { make } from "./live.js";

export const at = (id) => document.getElementById(id);

export function percent(share) {
  if (share > 0.99 && share < 1) return "over 99 %";
  if (share > 0 && share < 0.01) return "under 1 %";
  return `${Math.round(100 * share)} %`;
}

const whole = (count) => String(Math.round(100 * count) / 100);
const plural = (count, one) => `${whole(count)} ${one}${count === 1 ? "" : "s"}`;

export function button(text, onClick, attributes = {}) {
  const made = make("button", { type: "button", text, ...attributes });
  made.addEventListener("click", onClick);
  return made;
}

function facts(entries) {
  const list = make("dl", { class: "facts" });
  for (const [term, text] of entries) {
    if (text !== null && text !== undefined && text !== "") {
      list.append(make("dt", { text: term }), make("dd", { text }));
    }
  }
  return list;
}

function chips(ids, replay, suffix = () => "") {
  const list = make("ul", { class: "chips" });
  for (const id of ids) {
    list.append(make("li", {}, button(`${id}${suffix(id)}`, () => replay(id),
      { class: "link", title: "Replay this recording" })));
  }
  return list;
}

// --- selection ------------------------------------------------------------------------------

export function showNothing(box, hasSteps) {
  box.replaceChildren(make("p", {
    class: "quiet",
    text: hasSteps
      ? "Select a step or an arrow in the drawing to see its evidence. An arrow goes from a step to its precondition."
      : "This graph has no steps. Choose a file of recordings under Recordings to learn one.",
  }));
}

export function showEnd(box, name) {
  box.replaceChildren(make("h2", { text: name, tabindex: "-1" }), make("p", {
    class: "quiet",
    text: name === "START" ? "Where the procedure begins: below each step that needs nothing."
      : "Where the procedure ends: above each step that no other needs.",
  }));
}

export function showStep(box, step, act) {
  const known = step.attributes;
  const parts = [make("h2", { text: step.name, tabindex: "-1" })];
  const marks = [step.optional && "may be left out", step.repeatable && "may be done again"].filter(Boolean);
  parts.push(facts([
    ["is", marks.join(", ")],
    ["done in", known && step.done_in.length + step.left_out_in.length
      ? `${step.done_in.length} of ${plural(step.done_in.length + step.left_out_in.length, "recording")}` : ""],
    ["done again in", known?.repeated ? percent(known.repeated) : ""],
    ["goes with", known?.goes_with.join(", ")],
  ]));
  parts.push(make("div", { class: "line wrap" }, button(
    step.optional ? "Not optional" : "Mark optional",
    () => act.edit({ edit: step.optional ? "required" : "optional", step: step.name }),
  )));
  for (const [title, edges, end] of [["Needs", step.needs, "needs"], ["Needed by", step.needed_by, "step"]]) {
    parts.push(make("h3", { text: title }));
    const list = make("ul", { class: "edge-list" });
    for (const edge of edges) {
      const said = edge.said ? ` (${edge.said})` : "";
      list.append(make("li", {}, button(`${edge[end]}${said}`, () => act.select(edge.step, edge.needs), { class: "link" })));
    }
    if (!edges.length) list.append(make("li", { class: "quiet", text: end === "needs" ? "nothing" : "no step" }));
    parts.push(list);
  }
  if (step.done_in.length) {
    const places = new Map(step.done_in.map((entry) => [entry.id, entry.places]));
    parts.push(make("h3", { text: "Recordings that do it, and at which place" }));
    parts.push(chips(places.keys(), act.replay, (id) => ` (${places.get(id).join(", ")})`));
  }
  if (step.left_out_in.length) {
    parts.push(make("h3", { text: "Recordings without it" }), chips(step.left_out_in, act.replay));
  }
  box.replaceChildren(...parts);
}

export function showEdge(box, edge, act) {
  const pair = { step: edge.step, needs: edge.needs };
  const title = edge.outer ? `${edge.step}, ${edge.needs}`
    : `'${edge.step}' ${edge.is_edge || edge.path ? "needs" : "does not need"} '${edge.needs}'`;
  const parts = [make("h2", { text: title, tabindex: "-1" })];
  if (edge.outer) {
    parts.push(make("p", {
      class: "quiet",
      text: edge.needs === "START" ? `${edge.step} needs nothing else, so it follows START.`
        : `Nothing else needs ${edge.needs}, so END does.`,
    }));
    box.replaceChildren(...parts);
    return;
  }
  parts.push(facts([
    ["is", { pinned: "pinned", forbidden: "forbidden", added: "added by hand" }[edge.said] ?? ""],
    ["follows from", edge.path ? edge.path.map((name) => `'${name}'`).join(" needs ") : ""],
    ["the other way", edge.back ? edge.back.map((name) => `'${name}'`).join(" needs ") : ""],
    ["probability", edge.probability === null ? "" : percent(edge.probability)],
    [edge.probability === null ? "weight" : "as a direct edge", edge.weight === null ? "" : percentOrWeight(edge)],
  ]));
  const buttons = make("div", { class: "line wrap" });
  if (edge.is_edge) buttons.append(button("Remove", () => act.edit({ edit: "remove", ...pair })));
  if (edge.said === "pinned") buttons.append(button("Unpin", () => act.edit({ edit: "free", ...pair })));
  else if (edge.is_edge) buttons.append(button("Pin", () => act.edit({ edit: "pin", ...pair })));
  if (edge.said === "forbidden") buttons.append(button("Allow", () => act.edit({ edit: "free", ...pair })));
  else if (edge.is_edge) buttons.append(button("Forbid", () => act.edit({ edit: "forbid", ...pair })));
  parts.push(buttons, ...evidence(edge, act));
  box.replaceChildren(...parts);
}

function percentOrWeight(edge) {
  return edge.weight <= 1 ? percent(edge.weight) : whole(edge.weight);
}

function evidence(edge, act) {
  if (!edge.evidence) {
    return [make("p", { class: "quiet", text: "No recording shows this pair." })];
  }
  const { held, broken, silent } = edge.evidence;
  const bar = make("div", { class: "shares", "aria-hidden": "true" });
  for (const [kind, count] of [["held", held], ["broken", broken], ["silent", silent]]) {
    const share = make("i", { class: kind });
    share.style.flexGrow = String(count);
    if (count) bar.append(share);
  }
  const parts = [make("h3", { text: "Evidence" }), bar, make("p", { class: "counts" },
    make("span", { class: "share-held", text: `held in ${whole(held)}` }), ", ",
    make("span", { class: "share-broken", text: `broken in ${whole(broken)}` }), ", ",
    make("span", { text: `silent in ${whole(silent)}` }))];
  for (const [title, ids] of [
    [`'${edge.needs}' first`, edge.held_in],
    [`'${edge.step}' first`, edge.broken_in],
    ["Not both done", edge.silent_in],
  ]) {
    if (ids.length) parts.push(make("h3", { text: title }), chips(ids, act.replay));
  }
  return parts;
}

// --- edits, recordings ----------------------------------------------------------------------

export function showEdits(state, act) {
  const fill = (list, pairs, word, none) => {
    list.replaceChildren(...pairs.map(([step, needs, note]) => make("li", {},
      make("span", { text: `'${step}' needs '${needs}'${note}` }),
      button(word, () => act.edit({ edit: "free", step, needs }),
        { "aria-label": `${word}: ${step} needs ${needs}` }))));
    if (!pairs.length) list.append(make("li", { class: "none", text: none }));
  };
  fill(at("pinned"), state.pinned.map((pin) => [pin.step, pin.needs, pin.drawn ? "" : " (follows from others)"]),
    "Unpin", "no edge");
  fill(at("forbidden"), state.forbidden.map(([step, needs]) => [step, needs, ""]), "Allow", "no edge");
  at("relearn").disabled = !state.recordings.length;
  at("history").replaceChildren(...state.history.toReversed().map((entry) => make("li", {},
    make("time", { text: entry.at.replace("T", " ").replace("+00:00", " UTC") }), entry.sentence)));
  if (!state.history.length) at("history").append(make("li", { class: "none", text: "no edits yet" }));
}

export function showRecordings(state, act) {
  at("recordings-title").textContent = state.recordings.length
    ? `${plural(state.recordings.length, "recording")}` : "No recordings";
  at("recording-list").replaceChildren(...state.recordings.map((recording) => {
    const about = [plural(recording.steps, "step")];
    if (recording.trust !== null) about.push(`${percent(recording.trust)} of it in turn`);
    if (recording.marked) about.push("marked mistakes");
    return make("li", {}, make("span", {}, recording.id, make("small", { text: about.join(", ") })),
      button("Replay", () => act.replay(recording.id), { "aria-label": `Replay ${recording.id}` }));
  }));
  at("notes").replaceChildren(...state.notes.map((note) => make("li", { text: note })));
}

export function showAdvice(advice) {
  const box = at("advice-content");
  at("advise").hidden = advice.ready || !advice.possible;
  if (!advice.ready) {
    box.replaceChildren(make("p", {
      class: "quiet",
      text: advice.possible
        ? "Finds pairs of steps that the recordings leave open, and an order to ask the next person for."
        : "There are no recordings to give advice on. Choose a file of them under Recordings.",
    }));
    return;
  }
  const parts = [make("p", { text: `${advice.open_pairs} of ${plural(advice.pairs, "pair")} of steps are open.` })];
  if (advice.questions.length) {
    parts.push(make("h3", { text: "What no recording shows yet" }), make("ol", { class: "questions" },
      ...advice.questions.map((question) => make("li", { text: question.sentence }))));
  }
  if (advice.order.length) {
    parts.push(make("h3", { text: "Ask the next person for this" }), make("p", {
      class: "quiet",
      text: `Whenever several steps can be done, do the one that stands first here. This may decide ${plural(advice.decides, "pair")}.`,
    }), make("ol", { class: "questions" }, ...advice.order.map((step) => make("li", { text: step }))));
  } else if (advice.left_open.length) {
    parts.push(make("p", {
      text: "No order of steps is worth asking for. No recording shows these orders, and showing them would need steps that probably cannot be done yet.",
    }), make("ul", {}, ...advice.left_open.map(([first, second]) => make("li", { text: `'${first}' before '${second}'` }))));
  } else {
    parts.push(make("p", { text: "No order of steps is worth asking for: these recordings show what orders can show." }));
  }
  parts.push(make("ul", { class: "notes" }, ...advice.notes.map((note) => make("li", { text: note }))));
  box.replaceChildren(...parts);
}
