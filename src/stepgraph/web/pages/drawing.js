// The drawing: steps and edges that can be reached, selected and marked.

const SVG = "http://www.w3.org/2000/svg";
const SMALLEST = 0.1;
const LARGEST = 4;
const READABLE = 0.6; // at first, names are no smaller than this share of their size

export class Drawing {
  // onSelect is called with { step }, { step, needs } or null.
  constructor(box, onSelect) {
    this.box = box;
    this.onSelect = onSelect;
    this.parts = new Map(); // by key: "3" for a step, "3 1" for an edge
    this.names = [];
    this.numbers = new Map();
    this.selected = null;
    this.current = null;
    this.scale = null;
    this.svg = null;
    box.addEventListener("click", (event) => this.clicked(event));
    box.addEventListener("keydown", (event) => this.pressed(event));
    box.addEventListener("focusin", (event) => {
      const part = event.target.closest("g[data-key]");
      if (part) this.makeCurrent(part.dataset.key);
    });
  }

  show(text, steps, edges) {
    const focused = this.box.contains(document.activeElement) && this.current;
    const currentName = this.describeKey(this.current);
    const selectedName = this.describeKey(this.selected);
    const left = this.box.scrollLeft;
    const top = this.box.scrollTop;
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    const svg = document.importNode(parsed, true);
    svg.querySelector(":scope > title")?.remove(); // it would show wherever the mouse rests
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", "Task graph, from START at the bottom to END on top");
    const first = this.svg === null;
    this.svg = svg;
    this.width = Number(svg.getAttribute("width"));
    this.height = Number(svg.getAttribute("height"));
    this.names = ["START", ...steps.map((step) => step.name), "END"];
    this.numbers = new Map(this.names.map((name, number) => [name, number]));
    this.parts.clear();
    this.box.replaceChildren(svg);
    const said = new Map(edges.map((edge) => [this.edgeKey(edge.step, edge.needs), edge]));
    for (const group of svg.querySelectorAll("g.step, g.end")) {
      this.makePart(group, group.dataset.node, this.names[group.dataset.node]);
    }
    for (const group of svg.querySelectorAll("g.edge")) {
      const [step, needs] = group.dataset.edge.split(" ").map((number) => this.names[number]);
      const edge = said.get(group.dataset.edge);
      const state = edge?.said ? `, ${edge.said}` : "";
      this.makePart(group, group.dataset.edge, `${step} needs ${needs}${state}`);
      const path = group.querySelector("path");
      const hit = path.cloneNode();
      hit.setAttribute("class", "hit");
      for (const name of ["stroke", "stroke-width", "stroke-dasharray"]) hit.removeAttribute(name);
      group.append(hit);
      if (edge?.said) {
        group.dataset.said = edge.said;
        const middle = path.getPointAtLength(path.getTotalLength() / 2);
        this.badge(group, middle.x + 13, middle.y, edge.said === "pinned" ? "!" : "+");
      }
    }
    if (first) this.fit(READABLE);
    else this.zoom(1);
    this.selected = this.findKey(selectedName);
    if (this.selected) this.parts.get(this.selected).classList.add("selected");
    this.makeCurrent(this.findKey(currentName) ?? [...this.parts.keys()].find((key) => this.parts.get(key).matches(".step")) ?? "0");
    if (focused) this.parts.get(this.current).focus({ preventScroll: true });
    if (first) {
      this.box.scrollTop = this.box.scrollHeight; // where the procedure begins
      this.box.scrollLeft = (this.box.scrollWidth - this.box.clientWidth) / 2;
    } else {
      this.box.scrollLeft = left;
      this.box.scrollTop = top;
    }
  }

  makePart(group, key, label) {
    group.dataset.key = key;
    group.setAttribute("tabindex", "-1");
    group.setAttribute("role", "button");
    group.setAttribute("aria-label", label);
    this.parts.set(key, group);
  }

  edgeKey(step, needs) {
    return `${this.numbers.get(step)} ${this.numbers.get(needs)}`;
  }

  describeKey(key) {
    return key === null ? null : key.split(" ").map((number) => this.names[number]);
  }

  findKey(names) {
    if (!names || names.some((name) => !this.numbers.has(name))) return null;
    const key = names.map((name) => this.numbers.get(name)).join(" ");
    return this.parts.has(key) ? key : null;
  }

  makeCurrent(key) {
    this.parts.get(this.current)?.setAttribute("tabindex", "-1");
    this.current = key;
    this.parts.get(key)?.setAttribute("tabindex", "0");
  }

  // --- selecting ----------------------------------------------------------------------------

  clicked(event) {
    const part = event.target.closest("g[data-key]");
    if (!part) return;
    part.focus({ preventScroll: true });
    this.choose(part.dataset.key);
  }

  choose(key) {
    this.highlight(key);
    if (key === null) return this.onSelect(null);
    const [step, needs] = this.describeKey(key);
    return this.onSelect(needs === undefined ? { step } : { step, needs });
  }

  highlight(key) {
    this.parts.get(this.selected)?.classList.remove("selected");
    this.selected = key;
    const part = this.parts.get(key);
    if (!part) return;
    part.classList.add("selected");
    this.makeCurrent(key);
  }

  // Selects by name, and brings it into view.
  select(step, needs) {
    const key = this.findKey(needs === undefined ? [step] : [step, needs]);
    this.highlight(key);
    if (key) this.parts.get(key).scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const part = event.target.closest("g[data-key]");
    if (!part) return;
    const key = part.dataset.key;
    const arrows = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    let next;
    if (event.key === "Enter" || event.key === " ") this.choose(key);
    else if (event.key === "Home") next = "0";
    else if (event.key === "End") next = String(this.names.length - 1);
    else if (event.key === "e" || event.key === "E") next = this.nextEdge(key);
    else if (arrows[event.key]) {
      next = key.includes(" ") ? this.alongEdge(key, arrows[event.key]) : this.nearest(key, arrows[event.key]);
    } else return;
    event.preventDefault();
    if (next === undefined || !this.parts.has(next)) return;
    const found = this.parts.get(next);
    found.focus({ preventScroll: true });
    found.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  middle(key) {
    const box = this.parts.get(key).getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  }

  nearest(key, [across, along]) {
    const [x, y] = this.middle(key);
    let best;
    let least = Infinity;
    for (const other of this.parts.keys()) {
      if (other === key || other.includes(" ")) continue;
      const [a, b] = this.middle(other);
      const ahead = across * (a - x) + along * (b - y);
      const aside = Math.abs(along * (a - x)) + Math.abs(across * (b - y));
      const cost = ahead + 2 * aside;
      if (ahead > 2 && aside < 3 * ahead + 40 && cost < least) [best, least] = [other, cost];
    }
    return best;
  }

  // Edges of a step in turn: first those to its preconditions, then those from its dependents.
  edgesOf(node) {
    const keys = [...this.parts.keys()].filter((key) => key.includes(" "));
    const below = keys.filter((key) => key.split(" ")[0] === node);
    return [...below, ...keys.filter((key) => key.split(" ")[1] === node)];
  }

  nextEdge(key) {
    if (!key.includes(" ")) {
      this.around = key;
      return this.edgesOf(key)[0];
    }
    const ends = key.split(" ");
    const node = ends.includes(this.around) ? this.around : ends[0];
    const edges = this.edgesOf(node);
    return edges[(edges.indexOf(key) + 1) % edges.length];
  }

  alongEdge(key, [across, along]) {
    const [step, needs] = key.split(" ");
    if (along) return along < 0 ? step : needs;
    const edges = this.edgesOf(step);
    return edges[(edges.indexOf(key) + across + edges.length) % edges.length];
  }

  // --- size ---------------------------------------------------------------------------------

  fit(least = 0) {
    const room = this.box.clientWidth - 2;
    const high = parseFloat(getComputedStyle(this.box).maxHeight) || Infinity;
    this.scale = Math.max(Math.min(1, room / this.width, (high - 2) / this.height), least, SMALLEST);
    this.resize();
  }

  zoom(factor) {
    const before = this.scale;
    this.scale = Math.min(Math.max(this.scale * factor, SMALLEST), LARGEST);
    const share = this.scale / before;
    const x = this.box.scrollLeft + this.box.clientWidth / 2;
    const y = this.box.scrollTop + this.box.clientHeight / 2;
    this.resize();
    this.box.scrollLeft = x * share - this.box.clientWidth / 2;
    this.box.scrollTop = y * share - this.box.clientHeight / 2;
  }

  resize() {
    this.svg.setAttribute("width", Math.round(this.width * this.scale));
    this.svg.setAttribute("height", Math.round(this.height * this.scale));
  }

  // --- marks --------------------------------------------------------------------------------

  badge(group, x, y, sign) {
    const ground = document.createElementNS(SVG, "circle");
    for (const [name, value] of [["cx", x], ["cy", y], ["r", 9], ["class", "badge-ground mark"]]) {
      ground.setAttribute(name, value);
    }
    const text = document.createElementNS(SVG, "text");
    for (const [name, value] of [["x", x], ["y", y + 4.5], ["class", "badge mark"]]) {
      text.setAttribute(name, value);
    }
    text.textContent = sign;
    group.append(ground, text);
  }

  // Scrolls the drawing, not the page: the button that was pressed stays where it is.
  reveal(group) {
    const box = this.box.getBoundingClientRect();
    const part = group.getBoundingClientRect();
    const room = 30;
    this.box.scrollLeft += Math.min(part.left - room - box.left, 0) + Math.max(part.right + room - box.right, 0);
    this.box.scrollTop += Math.min(part.top - room - box.top, 0) + Math.max(part.bottom + room - box.bottom, 0);
  }

  // marks: step name -> { mark, sign, word, now }; missing: pairs of names.
  replay(marks, missing) {
    this.clearReplay();
    this.box.classList.toggle("replaying", marks !== null);
    if (marks === null) return;
    for (const [name, { mark, sign, word, now }] of marks) {
      const group = this.parts.get(String(this.numbers.get(name)));
      if (!group) continue;
      group.dataset.mark = mark;
      group.classList.toggle("now", Boolean(now));
      group.setAttribute("aria-label", `${name}, ${word}`);
      const rect = group.querySelector("rect");
      const x = Number(rect.getAttribute("x")) + Number(rect.getAttribute("width"));
      this.badge(group, x - 3, Number(rect.getAttribute("y")) + 3, sign);
      if (now) this.reveal(group);
    }
    for (const [step, needs] of missing) {
      this.parts.get(this.edgeKey(step, needs))?.classList.add("missing-edge");
    }
  }

  clearReplay() {
    for (const group of this.box.querySelectorAll("g[data-mark]")) {
      delete group.dataset.mark;
      group.classList.remove("now");
      group.setAttribute("aria-label", this.names[group.dataset.node]);
      for (const sign of group.querySelectorAll(".mark")) sign.remove();
    }
    for (const group of this.box.querySelectorAll(".missing-edge")) group.classList.remove("missing-edge");
    this.box.classList.remove("replaying");
  }

  // The steps of a refused cycle, each needing the next: existing edges and the refused one.
  cycle(names) {
    this.clearCycle();
    names.forEach((name, place) => {
      const next = names[(place + 1) % names.length];
      this.parts.get(String(this.numbers.get(name)))?.classList.add("in-cycle");
      const edge = this.parts.get(this.edgeKey(name, next));
      if (edge) edge.classList.add("in-cycle");
      else this.wanted(name, next);
    });
    this.parts.get(String(this.numbers.get(names[0])))?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  wanted(step, needs) {
    const ends = [step, needs].map((name) => this.parts.get(String(this.numbers.get(name))));
    if (ends.some((part) => !part)) return;
    const [[x1, y1], [x2, y2]] = ends.map((part) => {
      const box = part.getBBox();
      return [box.x + box.width / 2, box.y + box.height / 2];
    });
    const bend = step === needs ? 60 : 0.25 * Math.hypot(x2 - x1, y2 - y1);
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", "wanted");
    path.setAttribute("d", `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 + bend} ${y2} ${x2} ${y2}`);
    ends[0].parentNode.prepend(path);
  }

  clearCycle() {
    for (const part of this.box.querySelectorAll(".in-cycle")) part.classList.remove("in-cycle");
    for (const part of this.box.querySelectorAll(".wanted")) part.remove();
  }
}
