// The program in a worker of its own: how it is loaded, run, watched and stopped.

// The bytes of a compressed module that the page holds as base64 text.
async function unpacked(text) {
  const packed = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

const modules = {};

// The program; with Parquet and Arrow where these are needed, which a second file beside the page holds.
function programFor(columnar) {
  const kind = columnar ? "columnar" : "plain";
  modules[kind] ??= (columnar ? parquetText() : Promise.resolve(document.querySelector("#module").textContent)).then(unpacked);
  modules[kind].catch(() => delete modules[kind]);
  return modules[kind];
}

// A script, not a request: pages that were opened from a disk may load one.
function parquetText() {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = "tamis-parquet.js";
    script.onload = () => done(globalThis.tamisParquet);
    script.onerror = () => failed(new Error("Parquet and Arrow files need the file tamis-parquet.js in the same folder as this page; it is not there. Put it there, or save your table as CSV."));
    document.head.append(script);
  });
}

// Whether a file is Parquet or Arrow, by its ending or its first bytes.
async function isColumnar(file) {
  if (/\.(parquet|pq|arrow|arrows|feather|ipc)$/i.test(file.name)) return true;
  const head = await file.slice(0, 6).text();
  return head.startsWith("PAR1") || head === "ARROW1";
}

class Cancelled extends Error {}

let cancelProgram = () => {};

// Runs a command line over files. `watch` is told of progress; `cancelProgram` ends it, whatever it does.
async function runProgram(words, files, watch) {
  const cancelled = new Promise((_, failed) => { cancelProgram = () => failed(new Cancelled()); });
  const loaded = Promise.all(Object.values(files).map(isColumnar)).then((found) => programFor(found.some(Boolean)));
  const module = await Promise.race([loaded, cancelled]);
  const source = URL.createObjectURL(new Blob([document.querySelector("#worker").textContent], { type: "text/javascript" }));
  const worker = new Worker(source);
  const ended = new Promise((done, failed) => {
    worker.onmessage = ({ data }) => (data.ended ? done(data.ended) : watch(data.progress));
    worker.onerror = (event) => failed(new Error(event.message || "the worker could not be started"));
    worker.postMessage({ module, words, files });
  });
  try {
    return await Promise.race([ended, cancelled]);
  } finally {
    worker.terminate();
    URL.revokeObjectURL(source);
  }
}

// What went wrong, in words; null where nothing did.
function trouble(ended) {
  if (ended.status === 0) return null;
  const said = ended.errors.split("\n").filter((line) => !line.startsWith("note: ")).join("\n").replace(/^error: /, "");
  if (ended.broken === undefined) return said || `tamis ended with status ${ended.status}`;
  const GIGABYTE = 2 ** 30;
  if (ended.memory > 3.9 * GIGABYTE || /memory allocation|out of memory|capacity overflow|allocation failed/i.test(`${said} ${ended.broken}`)) {
    const used = (ended.memory / GIGABYTE).toFixed(1);
    return `The table needs more memory than a page can have (at most 4 GB; ${used} GB were in use). Leave columns out, or run the same command with the program, which has no such limit.`;
  }
  if (ended.stage === "reading" || ended.stage === "") {
    return `tamis stopped while it read the file, which may be damaged: write it again, or save it as CSV.\n${said || ended.broken}`;
  }
  return `tamis stopped while ${ended.stage}. This is a bug in tamis, not in your data; please report these lines.\n${said || ended.broken}`;
}
