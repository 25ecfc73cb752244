// The dashboard: sessions as they change, and one of them in detail.

import { Problem, ask, askJson, keepToken, kindWord, listen, make, pause } from "./live.js";

const at = (id) => document.getElementById(id);
const MOST_SHOWN = 300;
const MOST_VERDICTS = 200;

const sessions = new Map();
const rows = new Map();
let drawing = false;
let selected = null;
let detail = null; // what ends the stream of the selected session
let overview = null;

// --- all sessions ---------------------------------------------------------------------------

async function follow() {
  overview?.abort();
  overview = new AbortController();
  const { signal } = overview;
  for (let wait = 1000; !signal.aborted; wait = Math.min(2 * wait, 10000)) {
    try {
      await loadSessions(signal);
      at("main").hidden = false;
      at("token-form").hidden = true;
      await listen("/v1/events", signal, () => {
        wait = 1000;
        say("");
        state("live", "live");
      }, (name, content) => {
        if (name === "session") take(content);
        if (name === "problem") say(content.detail);
      });
      state("lost", "the service has stopped; trying again");
    } catch (error) {
      if (signal.aborted) return;
      if (error.status === 401) return askForToken();
      state("lost", "no connection; trying again");
      if (error instanceof Problem && error.status) say(error.message);
    }
    await pause(wait, signal);
  }
}

async function loadSessions(signal) {
  const status = at("status").value;
  const found = [];
  let next = "";
  do {
    const before = next ? `&before=${encodeURIComponent(next)}` : "";
    const page = await askJson(`/v1/sessions?status=${status}&limit=500${before}`, { signal });
    found.push(...page.sessions);
    next = page.next;
  } while (next && found.length < 2000);
  sessions.clear();
  for (const session of found) sessions.set(session.id, session);
  draw();
}

function take(session) {
  const wanted = at("status").value;
  const before = sessions.get(session.id);
  if (wanted === "all" || wanted === session.status) sessions.set(session.id, session);
  else sessions.delete(session.id);
  const mistake = session.last_mistake;
  if (mistake && before && before.last_mistake?.position !== mistake.position) {
    at("announce").textContent = `Mistake in ${title(session)}: ${mistake.sentence}`;
  }
  if (session.id === selected) describe(session);
  draw();
}

function askForToken() {
  at("main").hidden = true;
  at("token-form").hidden = false;
  at("token-problem").textContent = sessionStorage.length ? "That is not this service's token." : "";
  state("waiting", "waiting for the token");
  at("token").focus();
}

function state(name, text) {
  at("connection").dataset.state = name;
  at("connection").textContent = text;
}

function say(text) {
  at("problem").textContent = text;
  at("problem").hidden = !text;
}

const title = (session) => session.label || session.id;

function shown() {
  const words = at("find").value.trim().toLowerCase();
  const order = at("order").value;
  const chosen = [...sessions.values()].filter((session) => {
    if (at("mistaken").checked && !session.mistakes) return false;
    if (!words) return true;
    const text = [session.id, session.label, session.graph, session.last_step,
      session.last_mistake?.sentence].join("\n");
    return text.toLowerCase().includes(words);
  });
  const value = order === "mistakes" ? (session) => session.mistakes : (session) => session[order];
  return chosen.sort((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left !== right) return left < right ? 1 : -1;
    return a.id < b.id ? 1 : -1;
  });
}

function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    redraw();
  });
}

function redraw() {
  const all = [...sessions.values()];
  at("count-open").textContent = all.filter((s) => s.status === "open").length.toLocaleString("en");
  at("count-mistaken").textContent = all.filter((s) => s.mistakes).length.toLocaleString("en");
  at("count-steps").textContent = all.reduce((n, s) => n + s.observed, 0).toLocaleString("en");
  const chosen = shown();
  const visible = chosen.slice(0, MOST_SHOWN);
  const keep = new Set(visible.map((session) => session.id));
  for (const [id, row] of rows) {
    if (!keep.has(id)) {
      row.remove();
      rows.delete(id);
    }
  }
  const body = at("rows");
  visible.forEach((session, place) => {
    let row = rows.get(session.id);
    if (!row) rows.set(session.id, row = newRow(session.id));
    fill(row, session);
    // Move only rows that are out of place, so that the keyboard's focus stays.
    if (body.children[place] !== row) body.insertBefore(row, body.children[place] || null);
  });
  at("empty").hidden = visible.length > 0;
  at("empty").textContent = sessions.size
    ? "No session matches."
    : emptyText[at("status").value];
  document.querySelector("#sessions table").hidden = !visible.length;
  at("more").hidden = chosen.length <= MOST_SHOWN;
  at("more").textContent = `${chosen.length - MOST_SHOWN} more; narrow the search to see them.`;
}

const emptyText = {
  open: "No session is open. A client opens one with POST /v1/sessions.",
  finished: "No session is finished yet.",
  all: "There is no session yet. A client opens one with POST /v1/sessions.",
};

function newRow(id) {
  const name = make("button", { type: "button", class: "name" });
  name.addEventListener("click", () => select(id));
  return make("tr", {},
    make("td", { class: "name-cell" }, name, make("span", { class: "id" })),
    make("td", { "data-title": "graph", class: "graph-cell" },
      make("span"), " ", make("span", { class: "id whole" })),
    make("td", { "data-title": "progress", class: "progress-cell" },
      make("progress", { max: "1" }), make("span", { class: "quiet whole" })),
    make("td", { "data-title": "steps", class: "figure" }),
    make("td", { "data-title": "mistakes", class: "figure" }),
    make("td", { "data-title": "last mistake" }),
    make("td", { "data-title": "changed", class: "figure" }));
}

function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function fill(row, session) {
  const [name, graph, progress, steps, mistakes, mistake, changed] = row.children;
  put(name.children[0], title(session));
  put(name.children[1], session.label ? session.id : "");
  put(graph.children[0], session.graph);
  put(graph.children[1], `version ${session.version}`);
  const share = Math.round(100 * session.progress);
  progress.children[0].value = session.progress;
  progress.children[0].setAttribute("aria-label", `progress of ${title(session)}`);
  put(progress.children[1], session.status === "finished" ? `${share} %, finished` : `${share} %`);
  put(steps, String(session.observed));
  put(mistakes, String(session.mistakes));
  mistakes.classList.toggle("count-bad", session.mistakes > 0);
  const last = session.last_mistake;
  put(mistake, last ? `step ${last.position}: ${last.sentence}` : "none");
  mistake.classList.toggle("mistake", Boolean(last));
  changed.dataset.moment = session.updated;
  put(changed, ago(session.updated));
  row.setAttribute("aria-current", String(session.id === selected));
}

function ago(moment) {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(moment)) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
  return new Date(moment).toLocaleDateString("en-GB");
}

// --- one session ----------------------------------------------------------------------------

async function select(id) {
  detail?.abort();
  detail = new AbortController();
  const { signal } = detail;
  selected = id;
  at("verdicts").replaceChildren();
  at("executable").replaceChildren();
  at("detail").hidden = false;
  document.querySelector(".columns").classList.add("open");
  describe(sessions.get(id));
  draw();
  at("detail-title").focus();
  let after = 0;
  while (!signal.aborted) {
    try {
      const session = await askJson(`/v1/sessions/${id}`, { signal });
      describe(session);
      listSteps(session.executable);
      // Show only the end of a long session; the export has all of it.
      after = Math.max(after, session.observed - MOST_VERDICTS);
      let ended = false;
      await listen(`/v1/sessions/${id}/events?after=${after}`, signal, () => {}, (name, content) => {
        if (name === "verdict") {
          after = content.position;
          addVerdict(content);
          listSteps(content.executable);
        } else if (name === "finished") {
          ended = true;
          addReport(content);
        }
      });
      if (ended) return;
    } catch (error) {
      if (signal.aborted) return;
      if (error.status === 401) return askForToken();
      if (error.status === 404) return say(error.message);
    }
    await pause(2000, signal);
  }
}

function describe(session) {
  if (!session) return;
  put(at("detail-title"), title(session));
  const label = session.label ? `${session.id}, ` : "";
  const count = (number, one) => `${number} ${number === 1 ? one : `${one}s`}`;
  put(at("detail-about"), `${label}${session.graph}, version ${session.version}: ${session.status}, `
    + `${count(session.observed, "step")}, ${count(session.mistakes, "mistake")}`);
  const finish = at("finish");
  finish.disabled = session.status === "finished";
  if (finish.disabled) calm(finish);
}

function listSteps(steps) {
  const items = steps.map((step) => make("li", { text: step }));
  if (!items.length) items.push(make("li", { class: "none", text: "nothing is left to do" }));
  at("executable").replaceChildren(...items);
}

function verdictItem(place, verdict) {
  const quiet = verdict.kind === "correct" || verdict.kind === "repeated";
  const tone = verdict.mistake ? "bad" : quiet ? "good" : "fair";
  const kind = verdict.mistake ? `mistake: ${kindWord(verdict.kind)}` : kindWord(verdict.kind);
  return make("li", {},
    make("span", { class: "place", text: place }),
    make("div", {},
      make("span", { class: "kind", "data-tone": tone, text: kind }),
      make("p", { text: verdict.sentence })));
}

function addVerdict(verdict) {
  const list = at("verdicts");
  list.prepend(verdictItem(String(verdict.position), verdict));
  while (list.children.length > MOST_VERDICTS) list.lastChild.remove();
}

function addReport(report) {
  at("verdicts").prepend(...report.verdicts.map((verdict) => verdictItem("end", verdict)));
}

function close() {
  const id = selected;
  detail?.abort();
  selected = null;
  at("detail").hidden = true;
  document.querySelector(".columns").classList.remove("open");
  calm(at("finish"));
  redraw();
  (rows.get(id)?.querySelector("button") || at("sessions")).focus();
}

async function download(format) {
  try {
    const answer = await ask(`/v1/sessions/${selected}/export?format=${format}`);
    const link = make("a", {
      href: URL.createObjectURL(await answer.blob()), download: `${selected}.${format}`,
    });
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (error) {
    say(error.message);
  }
}

function calm(button) {
  delete button.dataset.sure;
  button.textContent = "Finish session";
}

async function finish() {
  const button = at("finish");
  if (!button.dataset.sure) {
    button.dataset.sure = "asked";
    button.textContent = "Really finish it?";
    setTimeout(() => calm(button), 5000);
    return;
  }
  calm(button);
  try {
    await askJson(`/v1/sessions/${selected}/finish`, { method: "POST" });
    describe(await askJson(`/v1/sessions/${selected}`));
  } catch (error) {
    say(error.message);
  }
}

// --- what people do -------------------------------------------------------------------------

at("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  keepToken(at("token").value.trim());
  at("token").value = "";
  follow();
});
at("filters").addEventListener("submit", (event) => event.preventDefault());
at("status").addEventListener("change", follow);
for (const id of ["find", "order", "mistaken"]) at(id).addEventListener("input", draw);
at("close").addEventListener("click", close);
at("finish").addEventListener("click", finish);
at("export-json").addEventListener("click", () => download("json"));
at("export-csv").addEventListener("click", () => download("csv"));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && selected) close();
});
setInterval(() => {
  for (const cell of document.querySelectorAll("[data-moment]")) put(cell, ago(cell.dataset.moment));
}, 1000);
follow();
