"use strict";

const OPERATORS = { "=": "=", "!=": "not", "<": "below", "<=": "at most", ">": "above", ">=": "at least", range: "from … to", "~": "about" };
const TWO_ENDS = new Set(["range", "!="]);

let asked = null; // the query whose results are shown
let conditions = []; // what it asks, as changed by the user: with `on`, and `units` to convert to
let order = null; // the order that it asks for
let turned = false;
let changed = false;
let charted = 0;
let shown = 10;
let latest = 0;

const get = (path, given = {}) => ask(`${path}?${new URLSearchParams(given)}`);

const ends = (one) => (one.low === one.high ? readable(one.low) : `${readable(one.low)} to ${readable(one.high)}`);
const unitName = (unit) => (unit === "-" ? "" : unit);
const inWords = (one) => `${one.op === "range" ? "from" : OPERATORS[one.op]} ${ends(one)} ${unitName(one.unit)}`.trim();
const plain = ({ op, low, high, unit, attribute, alternative, certainty }) =>
  ({ op, low, high, unit, attribute, alternative, certainty });

async function read(query) {
  const reading = await get("parse", { query });
  at("terms").textContent = reading.terms || "none";
  conditions = reading.conditions.map((one) => ({ ...one, on: true }));
  order = reading.order;
  changed = false;
  charted = 0;
  at("ignored").replaceChildren(...reading.ignored.map((one) => element("li", "", `“${one.words}” sets no condition: ${one.why}.`)));
}

// What is asked stands in the address: Back takes a change back, and a link can be shared.
function push() {
  const given = { q: asked };
  if (changed) given.conditions = JSON.stringify(conditions.map((one) => ({ ...plain(one), on: one.on })));
  if (at("ranker").selectedIndex > 0) given.ranker = at("ranker").value;
  if (at("filtered").checked) given.filtered = 1;
  if (turned) given.turned = 1;
  history.pushState(null, "", `?${new URLSearchParams(given)}`);
}

function renew(number = charted) {
  [changed, charted] = [true, number];
  push();
  return refresh();
}

function anew(query) {
  [asked, changed, turned] = [query, false, false];
  push();
  return search(query);
}

function recall() {
  const given = new URLSearchParams(location.search);
  at("query").value = given.get("q") ?? "";
  at("ranker").value = given.get("ranker") ?? at("ranker").options[0].value;
  at("filtered").checked = given.has("filtered");
  turned = given.has("turned");
  return search(at("query").value, given.get("conditions"));
}

// Conditions of an address, with the units that those of the query's reading may be converted to.
function restore(given) {
  const units = (one) => conditions.find((read) => read.units.some(({ unit }) => unit === one.unit))?.units;
  const usual = { attribute: [], alternative: 0, certainty: 1, sure: "yours", on: true };
  conditions = JSON.parse(given).map((one) => ({ ...usual, high: one.low, ...one, units: units(one) }));
  changed = true;
}

function change(number, values) {
  const one = { ...conditions[number], ...values };
  if (!TWO_ENDS.has(one.op)) one.high = one.low;
  if (one.low > one.high) [one.low, one.high] = [one.high, one.low];
  conditions[number] = { ...one, certainty: 1, sure: "yours" };
  renew(number);
}

function chip(one, number) {
  const called = [...one.attribute].reverse().join(" ");
  const made = element("li", one.on ? "" : "off");
  const on = Object.assign(element("input"), { type: "checkbox", checked: one.on });
  on.setAttribute("aria-label", `use the condition ${inWords(one)}`);
  on.addEventListener("change", () => {
    conditions[number].on = on.checked;
    renew();
  });
  const text = element("label", "text", on, ` ${inWords(one)} `, element("small", "", called && `of ${called}`));
  const op = chooser(Object.entries(OPERATORS), one.op, "comparison");
  op.addEventListener("change", () => change(number, { op: op.value }));
  const low = value(one.low, "value", (given) => change(number, { low: given }));
  const values = element("div", "values", op, low);
  if (TWO_ENDS.has(one.op)) values.append("to", value(one.high, "upper value", (given) => change(number, { high: given })));
  if (one.units && one.units.length > 1) {
    const unit = chooser(one.units.map((other) => [other.unit, other.unit]), one.unit, "convert to");
    unit.addEventListener("change", () => convert(number, unit.value));
    values.append(unit);
  } else values.append(unitName(one.unit));
  const sure = element("span", `sure ${one.sure}`, one.sure);
  sure.title = `certainty ${one.certainty.toFixed(2)}`;
  const button = element("button", "", "chart");
  button.type = "button";
  button.setAttribute("aria-label", `chart of the values in ${one.unit}`);
  button.setAttribute("aria-pressed", number === charted);
  button.addEventListener("click", () => { charted = number; showChips(); chart().catch((error) => complain(error.message)); });
  made.append(text, sure, button, values);
  return made;
}

const controls = (number) => [...(at("conditions").children[number]?.querySelectorAll("input, select, button") ?? [])];

// The chips are made anew, and the focus stays where it was.
function showChips() {
  const places = conditions.flatMap((_, number) => controls(number).map((control, place) => [control, number, place]));
  const [, number, place] = places.find(([control]) => control === document.activeElement) ?? [];
  at("conditions").replaceChildren(...conditions.map(chip));
  if (number !== undefined) controls(number)[place]?.focus();
}

function chooser(options, chosen, called) {
  const made = element("select");
  made.setAttribute("aria-label", called);
  for (const [name, text] of options) made.append(Object.assign(element("option", "", text), { value: name }));
  made.value = chosen;
  return made;
}

function value(number, called, taken) {
  const made = Object.assign(element("input"), { type: "number", step: "any", value: number });
  made.setAttribute("aria-label", called);
  made.addEventListener("change", () => (made.value && Number.isFinite(made.valueAsNumber) ? taken(made.valueAsNumber) : (made.value = number)));
  return made;
}

const rounded = (number) => Number(number.toPrecision(6));

function convert(number, unit) {
  const one = conditions[number];
  const from = one.units.find((other) => other.unit === one.unit);
  const to = one.units.find((other) => other.unit === unit);
  // Both are given from the unit that was read.
  const turned = (amount) => rounded(((amount - from.offset) / from.factor) * to.factor + to.offset);
  change(number, { unit, low: turned(one.low), high: turned(one.high) });
}

// The open ends of a condition are those of the chart.
function bounds(one) {
  if (["<", "<="].includes(one.op)) return [null, one.high];
  return [one.low, [">", ">="].includes(one.op) ? null : one.high];
}

async function chart() {
  const one = conditions[charted];
  const data = one ? await get("values", { unit: one.unit }) : { count: 0 };
  if (one !== conditions[charted]) return;
  at("chart").hidden = data.count < 2; // not before: a slider would lose the focus
  if (at("chart").hidden) return;
  const called = unitName(one.unit) || "numbers without a unit";
  at("caption").replaceChildren(element("b", "", `${data.count.toLocaleString("en")} values`), ` of the collection in ${called}`);
  const middle = data.edges[Math.floor(data.edges.length / 2)];
  at("axis").replaceChildren(...[data.edges[0], middle, data.edges.at(-1)].map((edge) => element("span", "", edge.toLocaleString("en", { maximumSignificantDigits: 2 }))));
  drawn.show(data, ...bounds(one));
}

function brushed(first, last) {
  const { edges, bars } = drawn.data;
  const [low, high] = [rounded(edges[first]), rounded(edges[last])];
  if (first === 0 && last < bars.length) return change(charted, { op: "<=", low: high, high });
  if (last === bars.length && first > 0) return change(charted, { op: ">=", low, high: low });
  return change(charted, { op: "range", low, high });
}

function facet(one) {
  const made = element("li");
  const range = { low: one.low, high: one.high };
  const called = element("span", "", `${one.attribute} ${ends(range)} ${unitName(one.unit)}`.trim());
  const button = element("button", "", called, element("small", "", `${one.documents} documents`));
  button.type = "button";
  button.addEventListener("click", async () => {
    const attribute = one.attribute ? one.attribute.split(" ").reverse() : [];
    const added = { op: "range", ...range, unit: one.unit, attribute, alternative: 0, certainty: 1, sure: "yours", on: true };
    conditions.push(added);
    await renew(conditions.length - 1);
    at("conditions").lastElementChild.querySelector("input").focus();
  });
  made.append(button);
  return made;
}

function result(one) {
  const made = element("li");
  made.append(element("div", "head", `${one.rank}.`, element("b", "", one.docno), `score ${one.score.toFixed(3)}`));
  if (one.text) {
    const content = element("p", "content");
    for (const [words, kind] of one.text) content.append(kind ? element("mark", kind, words) : words);
    made.append(content);
  }
  const why = element("ul", "why");
  for (const told of one.conditions) why.append(element("li", told.met ? "met" : "unmet", told.why));
  made.append(why);
  return made;
}

// Asks for the results of what is set now; an answer that comes after a later question is not shown.
async function refresh() {
  const number = (latest += 1);
  showChips();
  at("none").hidden = conditions.length > 0 || Boolean(order);
  at("order").hidden = !order;
  if (order) at("order").textContent = `by ${order.attribute[0]}, ${order.descending !== turned ? "highest" : "lowest"} first`;
  at("as-read").hidden = !changed;
  at("work").classList.add("busy");
  try {
    const given = { query: asked, ranker: at("ranker").value, filtered: at("filtered").checked, top: shown };
    if (order) given.turned = turned;
    if (changed) given.conditions = JSON.stringify(conditions.filter((one) => one.on).map(plain));
    const [found] = await Promise.all([get("search", given), chart()]);
    if (number !== latest) return;
    complain("");
    at("found").textContent = found.results.length ? `${found.results.length} results` : "Nothing found";
    at("results").replaceChildren(...found.results.map(result));
    at("facets").replaceChildren(...found.facets.map(facet));
    at("facets-box").hidden = !found.facets.length;
    at("more").hidden = found.results.length < shown || shown >= 100;
  } catch (error) {
    if (number === latest) complain(error.message);
  } finally {
    if (number === latest) at("work").classList.remove("busy");
  }
}

async function search(query, given = null) {
  if (!query.trim()) {
    at("work").hidden = true;
    return;
  }
  [asked, shown] = [query, 10];
  const number = (latest += 1);
  try {
    await read(query);
    if (given) restore(given);
  } catch (error) {
    complain(error.message);
    return;
  }
  if (number !== latest) return;
  at("work").hidden = false;
  await refresh();
}

async function begin() {
  const about = await get("about");
  at("about").textContent = `${about.documents.toLocaleString("en")} documents, ${about.quantities.toLocaleString("en")} quantities`;
  for (const [name, text] of Object.entries(about.rankers)) at("ranker").append(Object.assign(element("option", "", text), { value: name }));
  if (location.search) await recall();
}

const drawn = new ValueChart(at("bars"), at("from"), at("to"), brushed);
at("form").addEventListener("submit", (event) => {
  event.preventDefault();
  anew(at("query").value);
});
for (const id of ["ranker", "filtered"]) at(id).addEventListener("change", () => asked && (push(), refresh()));
at("order").addEventListener("click", () => {
  turned = !turned;
  push();
  refresh();
});
at("as-read").addEventListener("click", () => anew(asked));
at("more").addEventListener("click", () => {
  shown = Math.min(100, shown + 20);
  refresh();
});
window.addEventListener("popstate", recall);
begin().catch((error) => complain(error.message));
