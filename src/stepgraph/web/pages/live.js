// Talks to the service: the token, answers and problems, and events as they happen.

const KEY = "stepgraph-token";

export class Problem extends Error {
  constructor(status, detail, content = {}) {
    super(detail);
    this.status = status;
    this.content = content; // the whole answer
  }
}

export function keepToken(token) {
  // Kept for this window only, and sent in a header, so that no address or log holds it.
  if (token) sessionStorage.setItem(KEY, token);
  else sessionStorage.removeItem(KEY);
}

function headers() {
  const token = sessionStorage.getItem(KEY);
  return token ? { Authorization: `Bearer ${token}` } : {};
}

export async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { ...options, headers: { ...headers(), ...options.headers } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "the service cannot be reached");
  }
  if (!answer.ok) {
    let content = {};
    try {
      content = await answer.json();
    } catch { /* a proxy may answer instead of the service */ }
    throw new Problem(answer.status, content.detail || `the service answered ${answer.status}`, content);
  }
  return answer;
}

export async function askJson(path, options) {
  return (await ask(path, options)).json();
}

// Calls onEvent(name, content) for each event until the stream ends.
export async function listen(path, signal, onOpen, onEvent) {
  const answer = await ask(path, { signal, headers: { Accept: "text/event-stream" } });
  onOpen();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    waiting += value;
    const blocks = waiting.split("\n\n");
    waiting = blocks.pop();
    for (const block of blocks) {
      let name = "message";
      let data = "";
      for (const line of block.split("\n")) {
        if (line.startsWith("event: ")) name = line.slice(7);
        else if (line.startsWith("data: ")) data += line.slice(6);
      }
      if (data) onEvent(name, JSON.parse(data));
    }
  }
}

export function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => { clearTimeout(timer); resolve(); });
  });
}

// The kind of a verdict in words; the names with hyphens are for programs.
const KINDS = {
  "skipped-inferred": "skipped earlier", "open-at-finish": "never done",
  needless: "done again needlessly", "other-alternative": "second alternative",
};
export const kindWord = (kind) => KINDS[kind] ?? kind.replaceAll("-", " ");

// Makes an element; texts become text, never markup.
export function make(tag, { text, ...attributes } = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) element.setAttribute(name, value);
  }
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}
