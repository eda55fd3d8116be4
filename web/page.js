// What happens on the page: a file is read, a column chosen, the program run, its answer shown.

const HAS_ITS_TARGET = /\.(libsvm|svm|svmlight|npy|npz)(\.gz|\.zst)?$/i;
const MOST_BYTES = 4e9; // of a file: the memory of a page
let addresses = []; // of files to save

for (const field of document.querySelectorAll("[data-many]")) takeSeveral(field);

// --- what is said ---

function complain(text) {
  find("#alert").replaceChildren(...withOptions(text));
  find("#alert").hidden = text === "";
  if (text !== "") find("#alert").focus();
}

// Says that a field was filled in from a message, and offers to go on.
function tellFilled(label, value) {
  if (find("#study").hidden) return;
  const run = element("button", { type: "button", id: "go-on", textContent: find("#run").textContent });
  run.onclick = () => find("#form").requestSubmit();
  find("#alert").replaceChildren(`“${label}” is set to `, element("bdi", { textContent: value }), ". ", run);
  find("#alert").hidden = false;
  run.focus();
  run.scrollIntoView({ block: "center" });
}

function busy(words) {
  find("#busy").hidden = words === "";
  find("#stage").textContent = words;
  find("#progress").removeAttribute("value");
  for (const id of ["#run", "#again", "#example"]) find(id).disabled = words !== "";
}

function watch({ stage, done, total }) {
  const words = `${stage[0].toUpperCase()}${stage.slice(1)} …`;
  if (find("#stage").textContent !== words) find("#stage").textContent = words; // told once to those who listen
  if (total > 0) find("#progress").value = Math.min(1, done / total);
  else find("#progress").removeAttribute("value");
}

let turn = 0; // of commands: only the last one that was begun may speak

// Runs a command; null where it was cancelled or went wrong, which is then told.
async function command(words, files, doing) {
  cancelProgram();
  turn += 1;
  const mine = turn;
  complain("");
  busy(doing);
  try {
    const ended = await runProgram(words, files, (progress) => { if (mine === turn) watch(progress); });
    return mine === turn ? ended : null;
  } catch (broken) {
    if (mine === turn) complain(broken instanceof Cancelled ? "Cancelled. Nothing was kept." : broken.message);
    return null;
  } finally {
    if (mine === turn) busy("");
  }
}

// --- the file ---

// The words that say how the files are read, for any command.
function readingWords() {
  const roles = Object.fromEntries(Object.keys(ROLES).map((role) => [role, fileWith(role)]));
  const words = wordsOf(find("#reading"), roles);
  if (find("#transpose").checked) words.push("--transpose");
  if (roles.samples !== undefined) words.push(`--samples=${roles.samples}`);
  return words;
}

// The table is named last, behind what ends the options; `-` alone would be standard input.
const tableWords = (name) => ["--", name === "-" ? "./-" : name];

// What the program says of the columns when no target is named; null where it was cancelled.
async function askForColumns(table) {
  const ended = await command(["select", "--json=-", ...readingWords(), ...tableWords(table)], allFiles(), "Reading the file …");
  if (ended === null) return null;
  try {
    return JSON.parse(ended.errors.split("\n").findLast((line) => line.startsWith("{"))).error;
  } catch {
    return { message: trouble(ended) ?? "The file has no column to choose." };
  }
}

let lastTable; // the name of the table that was read last
let lastTarget = ""; // the column to explain that was chosen for it

// What was said of one table's columns and layout does not hold for another.
function forgetOtherTable(table) {
  if (lastTable !== undefined && lastTable !== table) {
    find("#transpose").checked = false;
    for (const field of document.querySelectorAll("#reading [data-option], #design [data-option]")) {
      if (field.clear) field.clear();
      else if (field.querySelector("select")) field.querySelector("select").selectedIndex = 0;
      else field.querySelector("input").value = "";
    }
    find("#event").dispatchEvent(new Event("input"));
  }
  lastTarget = lastTable === table ? chosenTarget() : "";
  lastTable = table;
}

// Reads the file's columns, and offers those that may be the target.
async function readFile() {
  const table = fileWith("table");
  find("#result").hidden = true;
  find("#study").hidden = true;
  complain("");
  if (table === undefined) return;
  forgetOtherTable(table);
  const large = given.find(({ file }) => file.size >= MOST_BYTES);
  if (large) return complain(`${large.file.name} has ${sizeWords(large.file.size)}, and a page can have at most 4 GB of memory. Use the program, which reads such files in pieces (--memory).`);
  if (HAS_ITS_TARGET.test(table) && fileWith("samples") === undefined) return offer({ columns: [], likely: [] }, true);
  const told = await askForColumns(table);
  if (told === null) return;
  if (told.kind === "no-target" && told.columns?.length === 1) {
    find("#reading").open = true;
    return complain(`Only one column was read: \`${told.columns[0]}\`. If the file is a table, choose its separator: --delimiter`);
  }
  if (told.kind === "no-target") return offer(told, false);
  if (await readTransposed(table)) return;
  find("#reading").open = true;
  complain(`\`${table}\` could not be read as a table: ${told.message}`);
}

// Reads a table whose samples, described in a second file, are its columns: whether that is so.
async function readTransposed(table) {
  if (fileWith("samples") === undefined || find("#transpose").checked) return false;
  find("#transpose").checked = true;
  const told = await askForColumns(table);
  if (told?.kind === "no-target") offer(told, false);
  else find("#transpose").checked = false;
  return told === null || told.kind === "no-target";
}

const countWords = ({ classes, range, event }) => {
  if (event) return `survival: the time until ${event.column} ${event.label ? `is ${event.label}` : ""} (${event.rows} rows)`.replace("  ", " ");
  const counts = Object.entries(classes).map(([label, count]) => `${label} (${count})`);
  return counts.length > 0 ? counts.join(", ") : `numeric from ${range[0]} to ${range[1]}`;
};

let lastColumns = []; // those that were read last

// Says what was read, so that a table that lies on its side is noticed.
function tellColumns() {
  const MOST = 5;
  const columns = lastColumns.filter((name) => !several.id.includes(name) && !several.leave.includes(name));
  const shown = columns.slice(0, MOST).flatMap((name, at) => [at > 0 ? ", " : "", element("bdi", { textContent: name })]);
  const more = columns.length > MOST ? ` and ${columns.length - MOST} more` : "";
  const turned = find("#transpose").checked;
  const named = several.id.filter((name) => lastColumns.includes(name));
  const parts = [`${columns.length} columns${turned ? " (features are in the rows of the file)" : ""}: `, ...shown, `${more}. Choose the one to explain; the others are the features.`];
  if (fileWith("samples") === undefined) parts.push(" If that is in another file, add it here as well.");
  if (named.length > 0) parts.push(" The rows are named by ", ...named.flatMap((name, at) => [at > 0 ? ", " : "", element("bdi", { textContent: name })]), ".");
  if (!turned) {
    const turn = element("button", { type: "button", id: "turn", textContent: "Take rows as features" });
    turn.onclick = () => { find("#transpose").checked = true; readFile(); };
    parts.push(" Are the columns your samples? ", turn);
  }
  find("#about-columns").replaceChildren(...(columns.length > 0 ? parts : []));
}

let offered = []; // the columns that may be the target

function offer({ columns, likely = [], row_names = [] }, hasItsOwn) {
  offered = likely;
  lastColumns = columns;
  const id = find("[data-option='--id']");
  if (row_names.length > 0 && several.id.length === 0) id.put(row_names);
  tellColumns();
  const chosen = Math.max(0, likely.findIndex((one) => one.name === lastTarget));
  const choices = likely.map((one, at) => {
    const radio = element("input", { type: "radio", name: "likely", value: one.name, checked: at === chosen, onchange: () => { find("#target").value = ""; takeTarget(one); } });
    return element("label", { className: "radio" }, radio, element("span", {}, element("bdi", { textContent: one.name }), element("span", { className: "soft", textContent: `  ${countWords(one)}` })));
  });
  find("#likely").replaceChildren(...choices);
  find("#target-label").textContent = hasItsOwn ? "The file has its own target; another column, if need be" : likely.length > 0 ? "Another column" : "Its name";
  offerColumns([...likely.map((one) => one.name), ...columns.filter((name) => !likely.some((one) => one.name === name))]);
  const typed = columns.includes(lastTarget) && !likely.some((one) => one.name === lastTarget);
  find("#target").value = typed ? lastTarget : "";
  find("#target").required = !hasItsOwn && likely.length === 0;
  if (typed) find("#target").dispatchEvent(new Event("input"));
  else takeTarget(likely[chosen]);
  find("#study").hidden = false;
  find("#head-study").focus();
}

const fill = (list, labels) => find(list).replaceChildren(...labels.map((value) => element("option", { value })));

let proposed = ""; // the column of events that came with a target

// What follows from the column to explain: its labels, and its event where it is a survival time.
function takeTarget(one) {
  fill("#labels", Object.keys(one?.classes ?? {}));
  const event = one?.event?.column ?? "";
  if (event === "" && find("#event").value !== proposed) return; // the user's own
  if (event !== "") find("#design").open = true;
  find("#event").value = event;
  find("#event").dispatchEvent(new Event("input"));
  find("#positive").value = one?.event?.label ?? "";
  proposed = event;
}

// The label of events matters only beside their column.
find("#event").addEventListener("input", () => {
  const event = find("#event").value;
  find("#positive").disabled = event === "";
  find("#positive").value = "";
  fill("#event-labels", Object.keys(offered.find((one) => one.name === event)?.classes ?? {}));
});

find("#target").addEventListener("input", () => {
  for (const radio of document.querySelectorAll("input[name=likely]")) radio.checked = find("#target").value === "" && radio === document.querySelector("input[name=likely]");
  takeTarget(offered.find((one) => one.name === chosenTarget()));
});

const chosenTarget = () => find("#target").value || document.querySelector("input[name=likely]:checked")?.value || "";

// --- the answer ---

const WRITTEN = { csv: ["out/table.csv", "text/csv"], json: ["out/result.json", "application/json"], report: ["out/report.html", "text/html"] };

async function select() {
  for (const field of document.querySelectorAll("[data-many] input")) field.dispatchEvent(new Event("change"));
  const target = chosenTarget();
  const words = [...(target === "" ? [] : [`--target=${target}`]), ...wordsOf(find("#form"), {}), ...readingWords()];
  if (fileWith("groups") !== undefined) words.push(`--feature-groups=${fileWith("groups")}`);
  const outputs = Object.entries(WRITTEN).map(([option, [path]]) => `--${option}=${path}`);
  const table = tableWords(fileWith("table"));
  find("#result").hidden = true;
  const ended = await command(["select", ...words, ...outputs, ...table], allFiles(), "Starting …");
  if (ended === null) return;
  const wrong = trouble(ended);
  if (wrong !== null) return complain(wrong);
  show(ended);
  find("#command").textContent = shellLine(["tamis", "select", ...words, "--report=report.html", "--csv=table.csv", "--json=result.json", ...table]);
}

function show({ out, errors, written }) {
  const [answer, ...rest] = out.split("\n\n")[0].split("\n");
  find("#answer").textContent = answer;
  find("#more").replaceChildren(...withOptions(rest.join("\n")));
  const result = JSON.parse(new TextDecoder().decode(written[WRITTEN.json[0]]));
  showNames(result.features);
  find("#stale").hidden = true;
  const asks = ({ weight }) => weight === "changes_answer"; // for a decision
  const hints = [...survivalHints(), ...result.notes.filter(asks).map(({ message }) => withOptions(message))];
  find("#hints").replaceChildren(...hints.map((parts) => element("li", {}, ...parts)));
  const name = fileWith("table").replace(/(\.[A-Za-z0-9]{1,8}){1,2}$/, "").replace(/[^\p{L}\p{N}_-]+/gu, "_");
  const printed = out.split("\n").filter((line) => !line.startsWith("wrote out/"));
  find("#printed").textContent = `${printed.join("\n")}\n${errors}`.trim();
  addresses.forEach((address) => URL.revokeObjectURL(address));
  addresses = [];
  for (const [id, option, kind] of [["#save-table", "csv", "table.csv"], ["#save-json", "json", "result.json"], ["#save-report", "report", "report.html"]]) {
    const [path, type] = WRITTEN[option];
    const address = URL.createObjectURL(new Blob([written[path]], { type }));
    addresses.push(address);
    Object.assign(find(id), { href: address, download: `${name}-tamis-${kind}` });
  }
  find("#result").hidden = false;
  showReport(new TextDecoder().decode(written[WRITTEN.report[0]]));
  find("#head-answer").focus();
  find("#result").scrollIntoView();
}

// A frame of its own for every report: one that was hidden and filled again may stay empty.
function showReport(srcdoc) {
  const frame = element("iframe", { title: "Report" });
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.srcdoc = srcdoc;
  find("#report").replaceChildren(frame);
}

// What counted as the event, and survival that was not asked for though it seems to be meant.
function survivalHints() {
  const bold = (textContent) => element("bdi", { textContent });
  const [event, word] = [find("#event").value, find("#positive").value];
  if (event !== "") {
    const told = ["The event is that ", bold(event), " is ", bold(word || "1 or true"), "; all other rows count as not yet."];
    return [/^(alive|living|censored|no|none|survived|0|false)$/i.test(word) ? [...told, " Is that what you mean?"] : told];
  }
  const time = offered.find((one) => one.event);
  if (time === undefined || ![time.name, time.event.column].includes(chosenTarget())) return [];
  return [["Is ", bold(time.name), " the time until ", bold(time.event.column), ` is ${time.event.label ?? "1"}? Then choose it above as survival.`]];
}

// The best of the selected features by name.
function showNames(features) {
  const MOST = 12;
  const chosen = features.filter(({ selected }) => selected).sort((a, b) => a.rank - b.rank);
  const shown = chosen.slice(0, MOST).flatMap(({ name }, at) => [at > 0 ? ", " : "The best first: ", element("bdi", { textContent: name })]);
  const more = chosen.length > MOST ? ` and ${chosen.length - MOST} more, in the report below and in the table` : "";
  find("#names").replaceChildren(...shown, more);
  find("#names").hidden = chosen.length === 0;
}

// --- what the user does ---

function take(files) {
  if (files.length === 0) return;
  takeFiles(files);
  readFile();
}

find("#files").addEventListener("change", (event) => { take([...event.target.files]); event.target.value = ""; });
document.addEventListener("dragover", (event) => { event.preventDefault(); find("#drop").classList.add("over"); });
document.addEventListener("dragleave", () => find("#drop").classList.remove("over"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  find("#drop").classList.remove("over");
  take([...event.dataTransfer.files]);
});
find("#reading").addEventListener("chosen", () => (find("#study").hidden ? readFile() : tellColumns()));
for (const kind of ["input", "change", "chosen"]) {
  for (const id of ["#form", "#reading"]) find(id).addEventListener(kind, () => { find("#stale").hidden = false; });
}
find("#again").onclick = readFile;
find("#cancel").onclick = () => cancelProgram();
for (const id of ["#transpose", "#decimal", "#delimiter"]) find(id).onchange = readFile;
find("#form").addEventListener("submit", (event) => { event.preventDefault(); select(); });
find("#method").onchange = () => { find("#about-method").textContent = find("#method").selectedOptions[0].title; };
find("#method").onchange();
find("#example").onclick = async () => {
  const ended = await command(["demo", "--out=out"], {}, "Making an example …");
  if (ended === null) return;
  if (ended.status !== 0) return complain(trouble(ended));
  given = [];
  take([new File([ended.written["out/data.csv"]], "example.csv")]);
};
document.documentElement.dataset.ready = "yes";
