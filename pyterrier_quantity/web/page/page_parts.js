"use strict";

// What the pages share. Texts come into a page as text only: nothing that a corpus or a query holds is read as markup.
const at = (id) => document.getElementById(id);

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The server does not respond; start it again, and open the address that it prints.");
  }
  const content = await answer.json();
  if (!answer.ok) throw new Error(content.error);
  return content;
}

function complain(message) {
  at("trouble").textContent = message;
  at("trouble").hidden = !message;
}

function element(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
}
