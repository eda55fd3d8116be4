// One run of the program: a command line and files in, what it said and wrote out. The page ends the worker to cancel.

const PROGRESS = "\u001e", SEPARATOR = "\u001f"; // as the program marks lines of progress

// Gathers lines, and hands on those of progress.
function listen(tell) {
  const decoder = new TextDecoder();
  const said = [];
  let rest = "";
  const take = (bytes) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith(PROGRESS)) tell(line.slice(1).split(SEPARATOR));
      else said.push(line);
    }
  };
  return { take, text: () => [...said, rest].join("\n").trim() };
}

// Runs the program; files are blobs by name. The answer has the exit status, or what broke.
function run({ module, words, files }) {
  let stage = "";
  const out = listen(() => {});
  const errors = listen(([name, done, total]) => {
    stage = name;
    postMessage({ progress: { stage: name, done: Number(done), total: Number(total) } });
  });
  const given = Object.fromEntries(Object.entries(files).map(([name, blob]) => [name, new UserFile(blob)]));
  const system = new System({ words: ["tamis", ...words], files: given, folders: ["out"], hear: out.take, say: errors.take });
  const ended = {};
  try {
    ended.status = system.run(module);
  } catch (broken) {
    ended.broken = String(broken);
    ended.stage = stage;
  }
  const written = [...system.files].filter(([, file]) => file instanceof MemoryFile);
  const memory = system.instance?.exports.memory.buffer.byteLength ?? 0;
  return { ...ended, memory, out: out.text(), errors: errors.text(), written: Object.fromEntries(written.map(([name, file]) => [name, file.contents()])) };
}

onmessage = ({ data }) => {
  const ended = run(data);
  postMessage({ ended }, Object.values(ended.written).map((bytes) => bytes.buffer));
};
