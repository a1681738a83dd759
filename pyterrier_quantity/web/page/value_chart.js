"use strict";

// The values of a unit as bars, with a condition on them that can be brushed. Calls `changed(from, to)` with edges'
// numbers: bars from..to-1 are asked for.
class ValueChart {
  constructor(svg, from, to, changed) {
    Object.assign(this, { svg, from, to, changed, data: null, start: null });
    svg.addEventListener("pointerdown", (event) => this.begin(event));
    svg.addEventListener("pointermove", (event) => this.drag(event));
    svg.addEventListener("pointerup", (event) => this.end(event));
    svg.addEventListener("pointercancel", () => { this.start = null; });
    for (const slider of [from, to]) {
      slider.addEventListener("input", () => this.select(...this.slid()));
      slider.addEventListener("change", () => this.changed(...this.slid()));
    }
  }

  show(data, low, high) {
    this.data = data;
    this.from.max = this.to.max = data.bars.length;
    this.select(this.place(low, 0), this.place(high, data.bars.length));
  }

  // The edge nearest to a value; `open` where a condition has no such end.
  place(value, open) {
    if (value === null) return open;
    const { edges, logarithmic } = this.data;
    const scale = (one) => (logarithmic ? Math.log(Math.max(one, Number.MIN_VALUE)) : one);
    const distances = edges.map((edge) => Math.abs(scale(edge) - scale(value)));
    return distances.indexOf(Math.min(...distances));
  }

  slid() {
    const ends = [Number(this.from.value), Number(this.to.value)].sort((one, other) => one - other);
    return ends[0] === ends[1] ? [ends[0], Math.min(ends[0] + 1, this.data.bars.length)] : ends;
  }

  select(first, last) {
    const { bars, edges } = this.data;
    [this.from.value, this.to.value] = [first, last];
    this.from.setAttribute("aria-valuetext", readable(edges[first]));
    this.to.setAttribute("aria-valuetext", readable(edges[last]));
    const width = 400 / bars.length;
    const most = Math.sqrt(Math.max(...bars, 1));
    const shapes = [rectangle("area", first * width, 0, Math.max(last - first, 0.15) * width, 110)];
    bars.forEach((count, number) => {
      // Roots: a few values beside hundreds are still seen.
      const height = count && Math.max(3, (100 * Math.sqrt(count)) / most);
      const kind = number >= first && number < last ? "met" : "";
      shapes.push(rectangle(kind, number * width + 0.5, 110 - height, width - 1, height));
    });
    this.svg.replaceChildren(...shapes);
  }

  edge(event) {
    const box = this.svg.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    return Math.max(0, Math.min(this.data.bars.length, Math.round(share * this.data.bars.length)));
  }

  begin(event) {
    if (!this.data || event.button) return;
    this.svg.setPointerCapture(event.pointerId);
    this.start = this.edge(event);
  }

  drag(event) {
    if (this.start !== null) this.select(...this.ends(event));
  }

  end(event) {
    if (this.start === null) return;
    const ends = this.ends(event);
    this.start = null;
    this.select(...ends);
    this.changed(...ends);
  }

  ends(event) {
    const other = this.edge(event);
    if (other === this.start) return other < this.data.bars.length ? [other, other + 1] : [other - 1, other];
    return [Math.min(this.start, other), Math.max(this.start, other)];
  }
}

function rectangle(kind, x, y, width, height) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  if (kind) made.setAttribute("class", kind);
  for (const [name, value] of Object.entries({ x, y, width, height })) made.setAttribute(name, value);
  return made;
}

const readable = (value) => value.toLocaleString("en", { maximumSignificantDigits: 4 });
