"use strict";

const MARKS = { r: "relevant", n: "not", d: "doubtful", 1: "relevant", 2: "not", 3: "doubtful" };
const KINDS = { "+": "met", "~": "converted", "-": "other" };
const token = location.hash.slice(1);

let state = null;
let query = 0;
let place = 0;
let waiting = Promise.resolve();
let unsaved = 0;

const send = (path, options = {}) => ask(path, { ...options, headers: { "X-Token": token, "Content-Type": "application/json" } });

const current = () => state.queries[query];
const isOpen = (candidate) => candidate.mark === null;

function sentence(candidate) {
  const text = element("p", "text");
  for (const [words, kind, value] of candidate.pieces) {
    if (!kind) {
      text.append(words);
      continue;
    }
    text.append(element("mark", KINDS[kind], words));
    if (value) text.append(element("span", "value", ` [= ${value}]`));
  }
  return text;
}

function row(candidate, number) {
  const made = element("li");
  const words = element("div");
  words.append(sentence(candidate), element("span", "about", candidate.docno));
  const choice = element("div", "choice");
  for (const mark of ["relevant", "not", "doubtful"]) {
    const button = element("button", mark, mark);
    button.type = "button";
    button.addEventListener("click", (event) => {
      // After a click with the mouse, Space is to go on, not to press the button again.
      if (event.detail) button.blur();
      move(number);
      choose(candidate.mark === mark ? null : mark);
    });
    choice.append(button);
  }
  made.append(words, choice);
  made.addEventListener("click", (event) => {
    if (event.target.tagName !== "BUTTON") move(number);
  });
  return made;
}

function show() {
  const asked = current();
  at("number").textContent = `query ${query + 1} of ${state.queries.length} · ${asked.qid}`;
  at("query").textContent = asked.query;
  at("asked").textContent = asked.asked;
  at("candidates").replaceChildren(...asked.candidates.map(row));
  refresh();
}

function refresh() {
  const asked = current();
  [...at("candidates").children].forEach((item, number) => {
    const candidate = asked.candidates[number];
    item.className = [candidate.mark, number === place && "current", candidate.unsaved && "unsaved"].filter(Boolean).join(" ");
    item.setAttribute("aria-current", number === place);
    for (const button of item.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", button.classList.contains(candidate.mark));
    }
  });
  at("done").hidden = asked.candidates.some(isOpen);
  [...at("queries").querySelectorAll("button")].forEach((button, number) => {
    const open = state.queries[number].candidates.filter(isOpen).length;
    const left = button.querySelector(".left");
    left.textContent = open || "✓";
    left.classList.toggle("finished", !open);
    button.setAttribute("aria-current", number === query);
  });
  const all = state.queries.flatMap((one) => one.candidates);
  const marked = all.filter((candidate) => !isOpen(candidate)).length;
  at("count").textContent = `${marked} of ${all.length} marked`;
  at("bar").style.width = `${(100 * marked) / all.length}%`;
  at("progress").setAttribute("aria-valuemax", all.length);
  at("progress").setAttribute("aria-valuenow", marked);
}

function move(to) {
  place = Math.max(0, Math.min(current().candidates.length - 1, to));
  refresh();
  at("candidates").children[place].scrollIntoView({ block: "nearest" });
}

function turn(to, where = 0) {
  if (to < 0 || to >= state.queries.length) return;
  query = to;
  place = where;
  show();
  document.querySelector("section").scrollTop = 0;
  at("candidates").children[place].scrollIntoView({ block: "nearest" });
  at("queries").children[query].scrollIntoView({ block: "nearest" });
}

// The next sentence without a mark: below, else in the next query that has one; after a mark, first above.
function advance(stay = false) {
  const open = current().candidates.map(isOpen);
  const below = open.indexOf(true, place + 1);
  if (below >= 0) return move(below);
  if (stay && open.includes(true)) return move(open.indexOf(true));
  for (let step = 1; step <= state.queries.length; step += 1) {
    const number = (query + step) % state.queries.length;
    const found = state.queries[number].candidates.findIndex(isOpen);
    if (found >= 0) return number === query ? move(found) : turn(number, found);
  }
  return refresh();
}

// Marks are sent one after the other, so that the last one counts.
function choose(mark) {
  const asked = current();
  const candidate = asked.candidates[place];
  candidate.mark = mark;
  candidate.unsaved = true;
  unsaved += 1;
  note("saving …", true);
  waiting = waiting.then(() => save(asked.qid, candidate, mark));
  const last = !asked.candidates.some(isOpen);
  refresh();
  if (mark !== null && !last) advance(true);
  if (last) at("done").scrollIntoView({ block: "nearest" });
}

async function save(qid, candidate, mark) {
  const body = JSON.stringify({ annotator: state.annotator, qid, docno: candidate.docno, mark });
  try {
    await send("/api/mark", { method: "POST", body });
    if (candidate.mark === mark) candidate.unsaved = false;
    complain("");
  } catch (error) {
    complain(`${candidate.docno} is not saved; mark it again. ${error.message}`);
  }
  unsaved -= 1;
  const left = state.queries.some((one) => one.candidates.some((other) => other.unsaved));
  if (!unsaved) note(left ? "not all saved" : "saved", left);
  refresh();
}

function note(text, isWaiting) {
  at("saved").textContent = text;
  at("saved").classList.toggle("waiting", isWaiting);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !state || event.target.tagName === "INPUT") return;
  const key = event.key.toLowerCase();
  const actions = {
    arrowdown: () => move(place + 1), j: () => move(place + 1),
    arrowup: () => move(place - 1), k: () => move(place - 1),
    "]": () => turn(query + 1), arrowright: () => turn(query + 1),
    "[": () => turn(query - 1), arrowleft: () => turn(query - 1),
    " ": () => advance(), u: () => choose(null), backspace: () => choose(null),
  };
  const action = MARKS[key] ? () => choose(MARKS[key]) : actions[key];
  if (!action || (key === " " && event.target.tagName === "BUTTON")) return;
  event.preventDefault();
  action();
}

async function open(annotator) {
  state = await send(`/api/state?annotator=${encodeURIComponent(annotator)}`);
  for (const one of state.queries) for (const candidate of one.candidates) candidate.mark ??= null;
  at("who").textContent = state.annotator;
  at("queries").replaceChildren(...state.queries.map((one, number) => {
    const item = element("li");
    const button = element("button");
    button.type = "button";
    button.append(element("span", "", one.query), element("span", "left"));
    button.addEventListener("click", () => turn(number));
    item.append(button);
    return item;
  }));
  at("start").hidden = true;
  at("work").hidden = at("keys").hidden = false;
  const first = state.queries.findIndex((one) => one.candidates.some(isOpen));
  const found = first < 0 ? 0 : state.queries[first].candidates.findIndex(isOpen);
  turn(Math.max(first, 0), found);
  complain("");
}

function begin() {
  const annotator = new URLSearchParams(location.search).get("annotator");
  if (annotator) return open(annotator).catch((error) => complain(error.message));
  at("start").hidden = false;
  at("name").focus();
  return at("start").addEventListener("submit", (event) => {
    event.preventDefault();
    const name = at("name").value.trim();
    open(name).then(() => history.replaceState(null, "", `?annotator=${encodeURIComponent(name)}#${token}`))
      .catch((error) => complain(error.message));
  });
}

document.addEventListener("keydown", onKey);
window.addEventListener("beforeunload", (event) => {
  if (unsaved) event.preventDefault();
});
begin();
