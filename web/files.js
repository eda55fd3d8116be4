// The files that were chosen, and what each of them is.

const ROLES = { table: "the table", samples: "describes the samples", groups: "groups of features", beside: "belongs to the table" };
const LIKE_SAMPLES = /sample|pheno|meta|annot|clinic|coldata|design|patient/i;
const BESIDE_A_MATRIX = /^(features|genes|barcodes)\.tsv(\.gz)?$/i;

let given = []; // of { file, role }

// Takes more files; one with the name of an earlier one replaces it.
function takeFiles(files) {
  const names = files.map((file) => file.name);
  given = given.filter(({ file }) => !names.includes(file.name));
  given.push(...files.map((file) => ({ file, role: "" })));
  changeFiles();
}

// What each file is follows anew from those that are there, but for what the user said.
function changeFiles() {
  for (const one of given) if (!one.said) one.role = "";
  guessRoles();
  showFiles();
}

// The table is the largest file that is nothing else; a second one describes the samples.
function guessRoles() {
  const open = given.filter((one) => one.role === "");
  const matrix = given.some(({ file }) => /^matrix\.mtx/i.test(file.name)); // of 10x Genomics
  for (const one of open) {
    if (matrix && BESIDE_A_MATRIX.test(one.file.name)) one.role = "beside";
    else if (/\.gmt(\.gz)?$/i.test(one.file.name)) one.role = "groups";
  }
  const rest = open.filter((one) => one.role === "").sort((a, b) => LIKE_SAMPLES.test(a.file.name) - LIKE_SAMPLES.test(b.file.name) || b.file.size - a.file.size);
  for (const one of rest) one.role = ["table", "samples", "groups"].find((role) => !given.some((other) => other.role === role)) ?? "beside";
}

const sizeWords = (bytes) => (bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} KB` : `${(bytes / 1e6).toFixed(1)} MB`);

function showFiles() {
  find("#given").replaceChildren(...given.map((one) => {
    const roles = element("select", { onchange: () => { one.role = roles.value; one.said = true; readFile(); } });
    roles.append(...Object.entries(ROLES).map(([value, textContent]) => element("option", { value, textContent, selected: value === one.role })));
    roles.setAttribute("aria-label", `What ${one.file.name} is`);
    const button = (textContent, kept) => {
      const made = element("button", { type: "button", textContent, onclick: () => { given = given.filter(kept); if (given.length === 1) given[0].said = false; changeFiles(); readFile(); } });
      made.setAttribute("aria-label", `${textContent}: ${one.file.name}`);
      return made;
    };
    const choices = given.length > 1 ? [roles, button("Use this file alone", (other) => other === one)] : [];
    return element("li", {}, element("bdi", { textContent: one.file.name }), element("span", { className: "soft", textContent: sizeWords(one.file.size) }), ...choices, button("Remove", (other) => other !== one));
  }));
}

// The name of the file with a role; undefined where none has it.
const fileWith = (role) => given.find((one) => one.role === role)?.file.name;

// All files by name, for the program.
const allFiles = () => Object.fromEntries(given.map(({ file }) => [file.name, file]));
