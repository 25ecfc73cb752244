// Long tasks: learning from a file, learning again, advice; with progress and cancelling.

import { Problem, ask, askJson, pause } from "./live.js";
import { at } from "./panels.js";

export const post = (content = {}) => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(content),
});

export class Work {
  // Calls onDone(job) when a task succeeds, complain(problem) when it fails.
  constructor(onDone, complain) {
    this.onDone = onDone;
    this.complain = complain;
    this.watching = false;
    at("job-cancel").addEventListener("click", () => this.cancel());
  }

  async start(path, options) {
    try {
      this.show(await askJson(path, options));
    } catch (problem) {
      return this.complain(problem);
    }
    return this.watch();
  }

  async watch() {
    if (this.watching) return;
    this.watching = true;
    let job = null;
    try {
      for (let wait = 150; ; wait = Math.min(wait + 50, 500)) {
        job = await askJson("/api/job");
        this.show(job);
        if (job.stage !== "running") break;
        await pause(wait);
      }
    } catch (problem) {
      this.complain(problem);
      return;
    } finally {
      this.watching = false;
      at("job").hidden = true;
    }
    if (job.stage === "done") await this.onDone(job);
    else if (job.stage === "failed") this.complain(new Problem(422, job.what, { choices: job.about, kind: job.kind }));
    else if (job.stage === "cancelled") await this.onDone(job);
  }

  show(job) {
    const running = job.stage === "running";
    at("job").hidden = !running;
    document.body.classList.toggle("working", running);
    if (!running) return;
    at("job-bar").value = job.done;
    at("job-text").textContent = `${job.what}, ${Math.floor(job.seconds)} s`;
  }

  async cancel() {
    try {
      await ask("/api/cancel", post());
    } catch (problem) {
      this.complain(problem);
    }
  }

  // Follows a task that began before the page was loaded.
  async resume() {
    const job = await askJson("/api/job");
    if (job.stage === "running") await this.watch();
  }
}
