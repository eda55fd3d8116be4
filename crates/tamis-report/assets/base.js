// Small helpers. Text from the data goes into the page as text, never as markup.

const el = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") node.className = value;
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((c) => c !== null && c !== undefined));
  return node;
};

// Control characters, and those that turn the direction of what follows, are shown as a box.
const clean = (text) => String(text).replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");

const brief = (text, longest = 40) => {
  const letters = Array.from(clean(text));
  return letters.length <= longest ? letters.join("") : letters.slice(0, longest - 1).join("") + "…";
};

const isNumber = (x) => typeof x === "number" && Number.isFinite(x);

// Small numbers are not shown as 0, large ones not with all their digits.
const number = (x, digits = 3) => {
  if (!isNumber(x)) return "–";
  const size = Math.abs(x);
  if (size > 0 && size < 0.5 * 10 ** -digits) return digits >= 3 ? x.toExponential(0) : (0).toFixed(digits);
  if (size >= 1e6) return x.toExponential(2);
  return x.toFixed(digits);
};

const count = (n) => String(Math.round(n));

const plural = (n, one, many = one + "s") => `${count(n)} ${Math.round(n) === 1 ? one : many}`;

const extent = (values) => {
  let [low, high] = [Infinity, -Infinity];
  for (const x of values) {
    if (!isNumber(x)) continue;
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return low <= high ? [low, high] : [0, 1];
};

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

// A text file to save. The address lives in this page only.
const download = (name, text) => {
  const link = el("a", { download: name, href: URL.createObjectURL(new Blob([text], { type: "text/csv" })) });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

// A name as a cell that no spreadsheet takes for a formula.
const cell = (text) => {
  let safe = String(text);
  if (/^[\s]*[=+\-@\t\r]/.test(safe)) safe = "'" + safe;
  return /[",;\t\r\n']/.test(safe) ? '"' + safe.replace(/"/g, '""') + '"' : safe;
};

const copy = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { class: "away", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
};
