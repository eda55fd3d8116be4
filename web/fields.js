// The form and the command line that it stands for: a field has the option that it sets in `data-option`.

const find = (selector) => document.querySelector(selector);

// An element with text and properties; names of the data only ever become text.
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// What a field that takes several values has so far, by the field's id.
const several = {};

// Lets a field take several values: Enter, leaving it, or choosing from the list adds one, a button takes it back.
function takeSeveral(field) {
  const input = field.querySelector("input");
  const list = element("ul", { className: "chosen" });
  several[input.id] = [];
  const changed = () => field.dispatchEvent(new Event("chosen", { bubbles: true }));
  const show = () => list.replaceChildren(...several[input.id].map((value) => {
    const button = element("button", { type: "button", textContent: `${value} ×` });
    button.setAttribute("aria-label", `remove ${value}`);
    button.onclick = () => { several[input.id] = several[input.id].filter((other) => other !== value); show(); changed(); input.focus(); };
    return element("li", {}, button);
  }));
  const add = () => {
    const value = input.value;
    if (value.trim() === "") return;
    if (!several[input.id].includes(value)) several[input.id].push(value);
    input.value = "";
    show();
    changed();
  };
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || input.value.trim() === "") return;
    event.preventDefault();
    add();
  });
  input.addEventListener("change", add);
  field.append(list);
  field.put = (values) => { several[input.id] = [...values]; show(); };
  field.clear = () => { several[input.id] = []; input.value = ""; show(); };
}

// The words of the command line for the fields inside an element.
function wordsOf(inside, roles) {
  const words = [];
  for (const field of inside.querySelectorAll("[data-option]")) {
    if (field.dataset.needs && !roles[field.dataset.needs]) continue;
    const input = field.querySelector("input, select");
    if (input.disabled) continue;
    const values = "many" in field.dataset ? several[input.id] : [input.value];
    for (const value of values.filter((value) => value !== "" && !isUsual(input, value))) words.push(`${field.dataset.option}=${value}`);
  }
  return words;
}

// A list whose first entry is chosen says nothing new.
const isUsual = (input, value) => input.tagName === "SELECT" && value === input.options[0].value;

// A text of the program: what stands between backticks is set apart. An option that the page has is a button with the
// name of its field: it shows the field, and fills in the value that the program proposes.
function withOptions(text) {
  return text.split(/(`[^`]+`)/).flatMap((part) => (/^`[^`]+`$/.test(part) ? said(part.slice(1, -1)) : optionButtons(part)));
}

function said(code) {
  const [, option, value] = /^(--[a-z][a-z-]*) (.+)$/s.exec(code) ?? [];
  const field = option ? fieldOf(option) : null;
  if (field !== null && "option" in field.dataset) return optionButton(field, unquoted(value));
  return element("code", { className: "said" }, ...optionButtons(code));
}

const fieldOf = (option) => find(`[data-option="${option}"], [data-shows~="${option}"]`);

const optionButtons = (text) => text.split(/(--[a-z][a-z-]*)/).map((part) => {
  const field = part.startsWith("--") ? fieldOf(part) : null;
  return field === null ? part : optionButton(field);
});

// What a shell makes of a word as the program quotes it; null where that is not so plain.
const unquoted = (word) => (/^'.*'$/s.test(word) ? word.slice(1, -1).replaceAll("'\\''", "'") : /^[^\s'"$]+$/.test(word) ? word : null);

function optionButton(field, value = null) {
  const label = field.dataset.says ?? field.querySelector("label, legend")?.textContent ?? field.textContent.trim();
  const name = `“${label}”${value === null ? "" : ": "}`;
  const button = element("button", { type: "button", className: "option", title: value === null ? "Show the field" : "Fill it in" }, name, ...(value === null ? [] : [element("bdi", { textContent: value })]));
  button.onclick = () => {
    const folded = field.closest("details");
    if (folded) folded.open = true;
    field.scrollIntoView({ block: "center" });
    const input = field.querySelector("input, select");
    if (value !== null) {
      input.value = value;
      input.dispatchEvent(new Event("input", { bubbles: true }));
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }
    input.focus();
    if (value !== null) tellFilled(label, value);
  };
  return button;
}

// A line for a shell: words with anything unusual are quoted.
const shellLine = (words) => words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");

// Offers, under every field that names a column, those whose names hold what is typed: the first of them, since there
// may be many thousands.
function offerColumns(columns) {
  const MOST = 100;
  const fill = (typed) => {
    const sought = typed.toLowerCase();
    const found = [];
    for (const name of columns) {
      if (name.toLowerCase().includes(sought)) found.push(element("option", { value: name }));
      if (found.length === MOST) break;
    }
    find("#columns").replaceChildren(...found);
  };
  fill("");
  for (const input of document.querySelectorAll("input[list=columns]")) {
    input.oninput = () => fill(input.value);
    input.onfocus = () => fill(input.value);
  }
}
