// The studio: one graph, drawn by the server, that a person inspects and corrects.

import { askJson, keepToken, make } from "./live.js";
import { Drawing } from "./drawing.js";
import { at, percent, showAdvice, showEdge, showEdits, showEnd, showNothing, showRecordings, showStep } from "./panels.js";
import { Replay } from "./replay.js";
import { Work, post } from "./work.js";

let state = null;
let selection = null; // { step } or { step, needs }
let shownSelection = 0;

const drawing = new Drawing(at("drawing"), (chosen) => choose(chosen));
const replay = new Replay(drawing, complain);
const work = new Work(finished, complain);
const act = { edit, select: (step, needs) => choose({ step, needs }, true), replay: (id) => openReplay(id) };

// --- messages -------------------------------------------------------------------------------

function complain(problem) {
  if (problem.status === 401) {
    at("main").hidden = true;
    at("no-key").hidden = false;
    return;
  }
  say([]);
  at("problem-text").textContent = `${problem.content?.cycle ? "Refused: " : ""}${problem.message}`;
  at("problem").hidden = false;
  at("overwrite").hidden = true;
  drawing.clearCycle();
  if (problem.content?.cycle) drawing.cycle(problem.content.cycle);
  if (problem.content?.kind === "upload" && problem.content.choices.length) offer(problem.content.choices);
}

function forgive() {
  at("problem").hidden = true;
  drawing.clearCycle();
}

const SAID_FOR = 8000;
let saidTimer = null;

function say(sentences) {
  clearTimeout(saidTimer);
  if (sentences.length) saidTimer = setTimeout(() => say([]), SAID_FOR);
  at("said").hidden = !sentences.length;
  const shown = sentences.slice(0, 6).map((sentence) => `${sentence[0].toUpperCase()}${sentence.slice(1)}.`);
  if (sentences.length > 6) shown.push(`And ${sentences.length - 6} more changes.`);
  at("said-text").textContent = shown.join("\n");
}

// --- the state ------------------------------------------------------------------------------

function apply(next) {
  const stepsChanged = JSON.stringify(next.steps.map((step) => step.name)) !== JSON.stringify(state?.steps.map((step) => step.name));
  if (!state) at("upload-mistakes").checked = next.with_mistakes;
  state = next;
  at("main").hidden = false;
  at("no-key").hidden = true;
  const name = state.procedure || state.source || "Task graph";
  at("procedure").textContent = name;
  document.title = `${name} - stepgraph studio`;
  at("file").textContent = state.source && state.source !== state.file ? `${state.source}, saved to ${state.file}` : state.file;
  at("saved").hidden = state.saved;
  at("saved").textContent = "not saved";
  at("save").disabled = state.saved;
  for (const way of ["undo", "redo"]) {
    at(way).disabled = !state[way];
    at(way).title = state[way] ? `${way === "undo" ? "Undo" : "Redo"}: ${state[way]}` : "";
  }
  drawing.show(state.svg, state.steps, state.edges);
  if (stepsChanged) fillChoices();
  showThreshold();
  const inner = state.edges.filter((edge) => !edge.outer).length;
  at("count").textContent = `${state.steps.length} steps, ${inner} edges between them`;
  replay.list(state.recordings);
  showEdits(state, act);
  showRecordings(state, act);
  legend();
  return Promise.all([describe(), replay.again(), refreshAdvice()]);
}

function fillChoices() {
  const names = state.steps.map((step) => step.name);
  at("steps").replaceChildren(...names.map((name) => make("option", { value: name })));
  for (const id of ["pair-step", "pair-needs"]) {
    at(id).replaceChildren(make("option", { value: "", text: "choose a step" }),
      ...names.map((name) => make("option", { value: name, text: name })));
  }
  at("pair").hidden = names.length < 2;
}

function showThreshold() {
  const { value, possible } = state.threshold;
  at("threshold").disabled = !possible;
  if (document.activeElement !== at("threshold") || !moving) at("threshold").value = String(value);
  at("threshold-value").textContent = percent(Number(at("threshold").value));
  at("threshold-why").hidden = possible;
  at("threshold-why").textContent = "The edges of this graph have no probabilities to choose by; learn it from recordings.";
}

function legend() {
  const sign = (text, tone, word) => make("li", {}, make("span", { class: "sign", "data-tone": tone, "aria-hidden": "true", text }), word);
  const line = (kind, word) => make("li", {}, make("span", { class: `line-sample ${kind}`, "aria-hidden": "true" }), word);
  const items = [];
  if (replay.active) {
    items.push(sign("✓", "good", "done"), sign("✕", "bad", "mistake"), sign("?", "bad", "missing"),
      sign("~", "fair", "follows from a mistake"), sign("›", "accent", "can be done now"));
  } else {
    if (state.edges.some((edge) => edge.weight !== null && !edge.outer)) items.push(line("thick", "the thicker, the more probable"));
    if (state.edges.some((edge) => edge.weight === null && !edge.outer) && items.length) items.push(line("dashed", "no probability"));
    if (state.edges.some((edge) => edge.said === "pinned")) items.push(sign("!", "accent", "pinned"));
    if (state.edges.some((edge) => edge.said === "added")) items.push(sign("+", "accent", "added by hand"));
  }
  at("legend").replaceChildren(...items);
}
replay.onPaint = legend;

// Selects `chosen` once the edit is accepted, on the tab that is open then.
async function edit(content, chosen = null) {
  try {
    const next = await askJson("/api/edit", post(content));
    forgive();
    say(next.said);
    if (chosen) selection = chosen;
    const shown = apply(next);
    if (chosen) drawing.select(chosen.step, chosen.needs);
    await shown;
  } catch (problem) {
    complain(problem);
  }
}

async function save(overwrite = false) {
  try {
    const next = await askJson("/api/save", post({ overwrite }));
    forgive();
    say([`saved to ${next.file}`]);
    await apply(next);
  } catch (problem) {
    complain(problem);
    at("overwrite").hidden = problem.status !== 409;
  }
}

async function finished(job) {
  if (job.stage === "cancelled") return say(["cancelled; nothing was changed"]);
  forgive();
  await apply(await askJson("/api/state"));
  if (job.kind === "upload") offer([]);
  if (job.kind !== "advice") say([job.what]);
  return undefined;
}

// --- selection ------------------------------------------------------------------------------

function choose(chosen, scroll = false) {
  selection = chosen;
  if (chosen) {
    if (scroll) drawing.select(chosen.step, chosen.needs);
    showTab("selection");
    if (drawing.numbers.has(chosen.step)) at("pair-step").value = isEnd(chosen.step) ? "" : chosen.step;
    if (chosen.needs !== undefined) at("pair-needs").value = isEnd(chosen.needs) ? "" : chosen.needs;
  }
  return describe();
}

const isEnd = (name) => name === "START" || name === "END";

async function describe() {
  const asked = ++shownSelection;
  const box = at("selected");
  if (!selection) return showNothing(box, state.steps.length > 0);
  const { step, needs } = selection;
  if (needs === undefined && isEnd(step)) return showEnd(box, step);
  const query = new URLSearchParams(needs === undefined ? { step } : { step, needs });
  try {
    const found = await askJson(`${needs === undefined ? "/api/step" : "/api/edge"}?${query}`);
    if (asked !== shownSelection) return undefined;
    return needs === undefined ? showStep(box, found, act) : showEdge(box, found, act);
  } catch (problem) {
    if (asked !== shownSelection) return undefined;
    if (problem.status !== 422) return complain(problem);
    selection = null; // an edit removed the step
    return showNothing(box, state.steps.length > 0);
  }
}

function selectedEdge() {
  return selection?.needs !== undefined && !isEnd(selection.step) && !isEnd(selection.needs)
    ? state.edges.find((edge) => edge.step === selection.step && edge.needs === selection.needs) ?? { ...selection, said: "" } : null;
}

function toggle(edge, word, edit_) {
  const pair = { step: edge.step, needs: edge.needs };
  const forbidden = state.forbidden.some(([step, needs]) => step === edge.step && needs === edge.needs);
  const said = forbidden ? "forbidden" : edge.said;
  return edit({ edit: said === word ? "free" : edit_, ...pair });
}

// --- tabs, replay, advice, upload -----------------------------------------------------------

const tabs = [...document.querySelectorAll("[role=tab]")];

function showTab(name, focus = false) {
  for (const tab of tabs) {
    const chosen = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    at(tab.getAttribute("aria-controls")).hidden = !chosen;
    if (chosen && focus) tab.focus();
  }
}

for (const [place, tab] of tabs.entries()) {
  const name = tab.getAttribute("aria-controls");
  tab.addEventListener("click", () => showTab(name));
  tab.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    showTab(tabs[(place + by + tabs.length) % tabs.length].getAttribute("aria-controls"), true);
  });
}

async function openReplay(id) {
  showTab("replay");
  await replay.open(id, 0);
  at("replay-next").focus();
}

async function refreshAdvice() {
  try {
    showAdvice(await askJson("/api/advice"));
  } catch (problem) {
    complain(problem);
  }
}

function offer(procedures) {
  at("upload-choice").hidden = !procedures.length;
  at("upload-procedure").replaceChildren(...procedures.map((name) => make("option", { value: name, text: name })));
  if (procedures.length) {
    showTab("recordings");
    at("upload-procedure").focus();
  }
}

at("upload-file").addEventListener("change", () => offer([]));
at("upload").addEventListener("submit", (event) => {
  event.preventDefault();
  const [file] = at("upload-file").files;
  if (!file) return;
  forgive();
  const box = (id) => (at(id).checked ? "yes" : "no");
  const query = new URLSearchParams({ name: file.name, keep: box("upload-keep"), mistakes: box("upload-mistakes") });
  if (!at("upload-choice").hidden) query.set("procedure", at("upload-procedure").value);
  work.start(`/api/upload?${query}`, {
    method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file,
  });
});
at("relearn").addEventListener("click", () => work.start("/api/relearn", post()));
at("advise").addEventListener("click", () => work.start("/api/advise", post()));

// --- the threshold: the last value counts, one request at a time -----------------------------

let moving = false;
let waiting = null;

at("threshold").addEventListener("input", async () => {
  at("threshold-value").textContent = percent(Number(at("threshold").value));
  waiting = Number(at("threshold").value);
  if (moving) return;
  moving = true;
  while (waiting !== null) {
    const value = waiting;
    waiting = null;
    await edit({ edit: "threshold", value });
  }
  moving = false;
  showThreshold();
});

// --- forms, buttons, keys -------------------------------------------------------------------

at("pair").addEventListener("submit", (event) => {
  event.preventDefault();
  const [step, needs] = [at("pair-step").value, at("pair-needs").value];
  const wanted = event.submitter?.value ?? "look";
  if (!step || !needs) return complain(new Error("Choose both steps first."));
  if (wanted !== "look") return edit({ edit: wanted, step, needs }, { step, needs });
  if (step === needs) return complain(new Error("Choose two different steps."));
  forgive();
  return choose({ step, needs }, true);
});
at("find").addEventListener("change", () => {
  const name = at("find").value;
  if (state.steps.some((step) => step.name === name)) {
    choose({ step: name }, true);
    at("find").value = "";
  }
});
at("undo").addEventListener("click", () => edit({ edit: "undo" }));
at("redo").addEventListener("click", () => edit({ edit: "redo" }));
at("save").addEventListener("click", () => save());
at("overwrite").addEventListener("click", () => save(true));
at("problem-close").addEventListener("click", forgive);
at("said-close").addEventListener("click", () => say([]));
at("help").addEventListener("click", () => at("keys").showModal());
at("smaller").addEventListener("click", () => drawing.zoom(0.8));
at("larger").addEventListener("click", () => drawing.zoom(1.25));
at("fit").addEventListener("click", () => drawing.fit());

const KEYS = {
  z: () => state.undo && edit({ edit: "undo" }),
  y: () => state.redo && edit({ edit: "redo" }),
  a: () => { showTab("selection"); at("pair-needs").focus(); },
  p: () => selectedEdge() && toggle(selectedEdge(), "pinned", "pin"),
  f: () => selectedEdge() && toggle(selectedEdge(), "forbidden", "forbid"),
  o: () => {
    const step = selection && selection.needs === undefined && state.steps.find((one) => one.name === selection.step);
    return step && edit({ edit: step.optional ? "required" : "optional", step: step.name });
  },
  delete: () => selectedEdge() && edit({ edit: "remove", step: selection.step, needs: selection.needs }),
  ",": () => { showTab("replay"); replay.step(-1); },
  ".": () => { showTab("replay"); replay.step(1); },
  "+": () => drawing.zoom(1.25),
  "-": () => drawing.zoom(0.8),
  0: () => drawing.fit(),
  "?": () => at("keys").showModal(),
  escape: () => { forgive(); say([]); drawing.choose(null); },
};

document.addEventListener("keydown", (event) => {
  if (!state || at("keys").open || event.altKey) return;
  const key = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey) {
    if (key === "s") {
      event.preventDefault();
      if (!state.saved) save();
    } else if ((key === "z" || key === "y") && !isTyping(event.target)) {
      event.preventDefault();
      KEYS[key === "z" && event.shiftKey ? "y" : key]();
    }
    return;
  }
  if (isTyping(event.target) && key !== "escape") return;
  if (KEYS[key]) {
    event.preventDefault();
    KEYS[key]();
  }
});

// A slider takes arrows only; all other fields take letters.
const isTyping = (target) => target.matches("input:not([type=range], [type=checkbox]), select, textarea");

window.addEventListener("beforeunload", (event) => {
  if (state && !state.saved && state.undo) event.preventDefault();
});

// --- begin ----------------------------------------------------------------------------------

if (location.hash.length > 1) {
  keepToken(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
}
try {
  await apply(await askJson("/api/state"));
  await work.resume();
} catch (problem) {
  complain(problem);
}
