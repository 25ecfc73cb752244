// A recording, step by step, with the monitor's verdict on each step.

import { askJson, kindWord, make } from "./live.js";
import { at } from "./panels.js";

const TONES = {
  correct: "good", repeated: "good", repaired: "fair", "skipped-inferred": "fair",
  "too-early": "bad", "too-late": "bad", "unknown-step": "bad",
  needless: "bad", "other-alternative": "bad",
};
const PACE = 900;

export class Replay {
  constructor(drawing, complain) {
    this.drawing = drawing;
    this.complain = complain;
    this.content = null;
    this.place = 0;
    this.timer = null;
    this.opening = null; // { place } while a recording is loading
    at("replay-first").addEventListener("click", () => this.go(0));
    at("replay-back").addEventListener("click", () => this.step(-1));
    at("replay-next").addEventListener("click", () => this.step(1));
    at("replay-last").addEventListener("click", () => this.go(Infinity));
    at("replay-play").addEventListener("click", () => this.play());
    at("replay-stop").addEventListener("click", () => this.leave());
    at("recording").addEventListener("change", () => this.open(at("recording").value));
  }

  get active() { return this.content !== null; }

  list(recordings) {
    const chosen = this.content?.recording;
    at("replay-empty").hidden = recordings.length > 0;
    at("replay-controls").hidden = !recordings.length;
    at("recording").replaceChildren(make("option", { value: "", text: "choose one" }),
      ...recordings.map((recording) => make("option", { value: recording.id, text: recording.id })));
    at("recording").value = recordings.some((recording) => recording.id === chosen) ? chosen : "";
    if (chosen !== undefined && at("recording").value === "") this.leave();
    this.controls();
  }

  async open(id, place = 0) {
    this.pause();
    if (!id) return this.leave();
    const opening = { place };
    this.opening = opening;
    try {
      const content = await askJson(`/api/replay?recording=${encodeURIComponent(id)}`);
      if (opening !== this.opening) return undefined;
      this.opening = null;
      this.content = content;
    } catch (problem) {
      if (opening === this.opening) this.opening = null;
      return this.complain(problem);
    }
    at("recording").value = id;
    at("replay-steps").replaceChildren(...this.content.verdicts.map((verdict, number) => {
      const row = make("li", {}, make("span", { class: "place", text: String(number + 1) }),
        make("span", { text: verdict.mark ? `${verdict.step} (marked: ${verdict.mark})` : verdict.step }),
        make("span", { class: "kind", "data-tone": TONES[verdict.kind] ?? "", text: kindWord(verdict.kind) }));
      row.addEventListener("click", () => this.go(number + 1));
      return row;
    }));
    return this.go(opening.place);
  }

  // Judges the same recording again by a graph that has changed.
  again() {
    return this.active ? this.open(this.content.recording, this.place) : undefined;
  }

  step(by) {
    this.pause();
    if (this.active || this.opening) this.go((this.opening ?? this).place + by);
    else if (at("recording").options.length > 1) {
      this.open(at("recording").value || at("recording").options[1].value, 1);
    }
  }

  // Buttons work also while the recording is loading.
  go(place) {
    if (this.opening) this.opening.place = Math.max(0, place);
    if (!this.active) return;
    this.place = Math.max(0, Math.min(place, this.content.verdicts.length));
    this.paint();
  }

  play() {
    if (this.timer) return this.pause();
    if (!this.active) this.step(1);
    else if (this.place === this.content.verdicts.length) this.go(0);
    at("replay-play").setAttribute("aria-pressed", "true");
    at("replay-play").textContent = "Pause";
    this.timer = setInterval(() => {
      if (!this.active) return;
      if (this.place >= this.content.verdicts.length) this.pause();
      else this.go(this.place + 1);
    }, PACE);
    return undefined;
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    at("replay-play").setAttribute("aria-pressed", "false");
    at("replay-play").textContent = "Play";
  }

  leave() {
    this.pause();
    this.opening = null;
    this.content = null;
    this.place = 0;
    at("recording").value = "";
    at("replay-steps").replaceChildren();
    at("replay-about").textContent = "";
    at("replay-verdict").textContent = "";
    at("replay-verdict").dataset.tone = "";
    this.drawing.replay(null, []);
    this.controls();
    this.onPaint?.(false);
  }

  controls() {
    const last = this.active ? this.content.verdicts.length : 0;
    for (const id of ["replay-first", "replay-back"]) at(id).disabled = !this.active || this.place === 0;
    at("replay-next").disabled = this.active && this.place === last;
    at("replay-last").disabled = !this.active || this.place === last;
    at("replay-stop").disabled = !this.active;
  }

  paint() {
    const { verdicts, open, mistakes } = this.content;
    const marks = new Map();
    const now = verdicts[this.place - 1];
    for (const step of now?.executable ?? []) marks.set(step, { mark: "next", sign: "›", word: "can be done now" });
    for (const verdict of verdicts.slice(0, this.place)) {
      const tone = TONES[verdict.kind] ?? "good";
      const before = marks.get(verdict.step)?.mark;
      if (before === "mistake" && tone === "good") continue;
      marks.set(verdict.step, tone === "bad" ? { mark: "mistake", sign: "✕", word: kindWord(verdict.kind) }
        : tone === "fair" ? { mark: "fair", sign: "~", word: kindWord(verdict.kind) }
          : { mark: "done", sign: "✓", word: "done" });
    }
    for (const step of now?.skipped ?? []) marks.set(step, { mark: "missing", sign: "?", word: "skipped so far" });
    const missing = [];
    if (now) {
      for (const step of now.missing) {
        marks.set(step, { mark: "missing", sign: "?", word: "missing" });
        missing.push([now.step, step]);
      }
      const mark = marks.get(now.step);
      if (mark) mark.now = true;
    }
    this.drawing.replay(marks, missing);
    at("replay-about").textContent = `Step ${this.place} of ${verdicts.length}; in all ${mistakes} ${mistakes === 1 ? "mistake" : "mistakes"}.`;
    const ended = this.place === verdicts.length && open.length
      ? ` Never done: ${open.map((entry) => entry.step).join(", ")}.` : "";
    at("replay-verdict").textContent = now ? `${now.sentence}${ended}` : "No step yet. Press Next.";
    at("replay-verdict").dataset.tone = now ? TONES[now.kind] ?? "" : "";
    [...at("replay-steps").children].forEach((row, number) => {
      row.classList.toggle("to-come", number >= this.place);
      if (number === this.place - 1) {
        row.setAttribute("aria-current", "step");
        const list = at("replay-steps");
        list.scrollTop = row.offsetTop - list.clientHeight / 2;
      } else row.removeAttribute("aria-current");
    });
    this.controls();
    this.onPaint?.(true);
  }
}
