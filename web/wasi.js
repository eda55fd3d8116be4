// What the module asks of a system (WASI preview 1), answered from memory: files are an object of names, and nothing
// outside the page is reached.

// The errors that a module may be told.
const BAD_DESCRIPTOR = 8, EXISTS = 20, INVALID = 28, IS_FOLDER = 31, NO_ENTRY = 44, NOT_SUPPORTED = 52, NOT_FOLDER = 54, NO_PIPE_SEEK = 70;
// Kinds of files.
const FOLDER = 3, REGULAR = 4;
const ALL_RIGHTS = 0xffff_ffffn;

// How a run ends: thrown out of the module, and caught around it.
class Exit extends Error {
  constructor(status) { super(`exit ${status}`); this.status = status; }
}

// A file of the user: read where it lies, in pieces.
class UserFile {
  constructor(blob) { this.blob = blob; this.size = blob.size; this.from = 0; this.piece = new Uint8Array(0); }

  read(at, length) {
    if (at >= this.size) return new Uint8Array(0);
    if (at < this.from || at >= this.from + this.piece.length) {
      const PIECE = 8 << 20;
      this.piece = new Uint8Array(new FileReaderSync().readAsArrayBuffer(this.blob.slice(at, at + PIECE)));
      this.from = at;
    }
    return this.piece.subarray(at - this.from, at - this.from + length);
  }
}

// A file that the module writes.
class MemoryFile {
  constructor(bytes = new Uint8Array(0)) { this.bytes = bytes; this.size = bytes.length; }

  read(at, length) { return this.bytes.subarray(Math.min(at, this.size), Math.min(at + length, this.size)); }

  write(at, data) {
    this.reserve(at + data.length);
    this.bytes.set(data, at);
    this.size = Math.max(this.size, at + data.length);
  }

  resize(size) {
    this.reserve(size);
    if (size < this.size) this.bytes.fill(0, size, this.size);
    this.size = size;
  }

  reserve(size) {
    if (size <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(size, 2 * this.bytes.length, 1 << 16));
    larger.set(this.bytes.subarray(0, this.size));
    this.bytes = larger;
  }

  contents() { return this.bytes.slice(0, this.size); }
}

// Standard output or error.
class Stream {
  constructor(take) { this.take = take; }
}

class System {
  // `files` are files by name, with their folders, as `out/table.csv`; `say` takes the bytes of standard error.
  constructor({ words, files, folders, hear, say }) {
    this.words = words.map((word) => new TextEncoder().encode(`${word}\0`));
    this.files = new Map(Object.entries(files));
    this.folders = new Set(["", ...folders]);
    this.open = new Map([
      [0, { file: new MemoryFile(), at: 0 }],
      [1, { file: new Stream(hear) }],
      [2, { file: new Stream(say) }],
      [3, { folder: "" }],
    ]);
    this.next = 4;
  }

  // Runs the module to its end; the exit status.
  run(module) {
    const names = WebAssembly.Module.imports(module).map((wanted) => wanted.name);
    const answers = Object.fromEntries(names.map((name) => [name, this.answer(name)]));
    this.instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: answers });
    try {
      this.instance.exports._start();
      return 0;
    } catch (ended) {
      if (ended instanceof Exit) return ended.status;
      throw ended;
    }
  }

  // The function that the module calls by this name; one that nobody needs says that it is not supported.
  answer(name) { return typeof this[name] === "function" ? this[name].bind(this) : () => NOT_SUPPORTED; }

  // The memory may have grown since the last call.
  get view() { return new DataView(this.instance.exports.memory.buffer); }
  bytes(at, length) { return new Uint8Array(this.instance.exports.memory.buffer, at, length); }
  text(at, length) { return new TextDecoder().decode(this.bytes(at, length)); }

  put32(at, value) { this.view.setUint32(at, value, true); return 0; }
  put64(at, value) { this.view.setBigUint64(at, BigInt(value), true); return 0; }

  // The path inside the folder of a descriptor, without `.` and `..`; undefined where the descriptor is no folder.
  path(descriptor, at, length) {
    const folder = this.open.get(descriptor)?.folder;
    if (folder === undefined) return undefined;
    const parts = [];
    for (const part of `${folder}/${this.text(at, length)}`.split("/")) {
      if (part === "..") parts.pop();
      else if (part !== "" && part !== ".") parts.push(part);
    }
    return parts.join("/");
  }

  // --- the command line ---

  args_sizes_get(count, size) { return this.put32(count, this.words.length) || this.put32(size, this.words.reduce((sum, word) => sum + word.length, 0)); }

  args_get(pointers, buffer) {
    for (const word of this.words) {
      this.put32(pointers, buffer);
      this.bytes(buffer, word.length).set(word);
      pointers += 4;
      buffer += word.length;
    }
    return 0;
  }

  environ_sizes_get(count, size) { return this.put32(count, 0) || this.put32(size, 0); }
  environ_get() { return 0; }
  proc_exit(status) { throw new Exit(status); }
  sched_yield() { return 0; }

  // --- time and chance ---

  clock_time_get(clock, _precision, at) {
    const REAL_TIME = 0;
    const milliseconds = clock === REAL_TIME ? Date.now() : performance.now();
    return this.put64(at, Math.round(milliseconds * 1e6));
  }

  clock_res_get(_clock, at) { return this.put64(at, 1000); }

  random_get(at, length) {
    const LONGEST = 65536; // of one call
    for (let from = 0; from < length; from += LONGEST) crypto.getRandomValues(this.bytes(at + from, Math.min(LONGEST, length - from)));
    return 0;
  }

  // --- descriptors ---

  fd_close(descriptor) { return this.open.delete(descriptor) ? 0 : BAD_DESCRIPTOR; }
  fd_advise() { return 0; }
  fd_sync() { return 0; }
  fd_datasync() { return 0; }

  fd_fdstat_get(descriptor, at) {
    const found = this.open.get(descriptor);
    if (!found) return BAD_DESCRIPTOR;
    this.bytes(at, 24).fill(0);
    this.view.setUint8(at, found.folder !== undefined ? FOLDER : REGULAR); // a stream is no terminal
    return this.put64(at + 8, ALL_RIGHTS) || this.put64(at + 16, ALL_RIGHTS);
  }

  fd_fdstat_set_flags() { return 0; }

  fd_filestat_get(descriptor, at) {
    const found = this.open.get(descriptor);
    if (!found) return BAD_DESCRIPTOR;
    return this.status(at, found.folder !== undefined ? FOLDER : REGULAR, found.file?.size ?? 0);
  }

  fd_filestat_set_size(descriptor, size) {
    const file = this.open.get(descriptor)?.file;
    if (!(file instanceof MemoryFile)) return INVALID;
    file.resize(Number(size));
    return 0;
  }

  fd_prestat_get(descriptor, at) { return descriptor === 3 ? this.put32(at, 0) || this.put32(at + 4, 1) : BAD_DESCRIPTOR; }

  fd_prestat_dir_name(descriptor, at, length) {
    if (descriptor !== 3 || length < 1) return BAD_DESCRIPTOR;
    this.bytes(at, 1)[0] = "/".charCodeAt(0);
    return 0;
  }

  fd_read(descriptor, vectors, count, done) {
    const found = this.open.get(descriptor);
    if (!found || !found.file?.read) return BAD_DESCRIPTOR;
    const read = this.readInto(found.file, found.at, vectors, count);
    found.at += read;
    return this.put32(done, read);
  }

  fd_pread(descriptor, vectors, count, at, done) {
    const file = this.open.get(descriptor)?.file;
    return file?.read ? this.put32(done, this.readInto(file, Number(at), vectors, count)) : BAD_DESCRIPTOR;
  }

  readInto(file, from, vectors, count) {
    let read = 0;
    for (let i = 0; i < count; i += 1) {
      let at = this.view.getUint32(vectors + 8 * i, true);
      let wanted = this.view.getUint32(vectors + 8 * i + 4, true);
      while (wanted > 0) {
        const piece = file.read(from + read, wanted);
        if (piece.length === 0) return read;
        this.bytes(at, piece.length).set(piece);
        read += piece.length;
        at += piece.length;
        wanted -= piece.length;
      }
    }
    return read;
  }

  fd_write(descriptor, vectors, count, done) {
    const found = this.open.get(descriptor);
    if (!found || found.file === undefined || found.file instanceof UserFile) return BAD_DESCRIPTOR;
    let written = 0;
    for (let i = 0; i < count; i += 1) {
      const data = this.bytes(this.view.getUint32(vectors + 8 * i, true), this.view.getUint32(vectors + 8 * i + 4, true));
      if (found.file instanceof Stream) found.file.take(data.slice());
      else {
        found.file.write(found.at, data);
        found.at += data.length;
      }
      written += data.length;
    }
    return this.put32(done, written);
  }

  fd_seek(descriptor, offset, whence, at) {
    const found = this.open.get(descriptor);
    if (!found) return BAD_DESCRIPTOR;
    if (!found.file?.read) return NO_PIPE_SEEK;
    const from = [0, found.at, found.file.size][whence] + Number(offset);
    if (!(from >= 0)) return INVALID;
    found.at = from;
    return this.put64(at, from);
  }

  fd_tell(descriptor, at) {
    const found = this.open.get(descriptor);
    return found?.file?.read ? this.put64(at, found.at) : BAD_DESCRIPTOR;
  }

  // The entries of a folder, from one of them on.
  fd_readdir(descriptor, at, length, cookie, used) {
    const folder = this.open.get(descriptor)?.folder;
    if (folder === undefined) return BAD_DESCRIPTOR;
    const start = folder === "" ? "" : `${folder}/`;
    const inside = (path) => path !== folder && path.startsWith(start) && !path.slice(start.length).includes("/");
    const entries = [...this.files.keys()].filter(inside).map((path) => [path, REGULAR]);
    entries.push(...[...this.folders].filter(inside).map((path) => [path, FOLDER]));
    let filled = 0;
    for (let i = Number(cookie); i < entries.length && filled < length; i += 1) {
      const name = new TextEncoder().encode(entries[i][0].slice(start.length));
      const entry = new Uint8Array(24 + name.length);
      const view = new DataView(entry.buffer);
      view.setBigUint64(0, BigInt(i + 1), true);
      view.setUint32(16, name.length, true);
      view.setUint8(20, entries[i][1]);
      entry.set(name, 24);
      const part = entry.subarray(0, length - filled);
      this.bytes(at + filled, part.length).set(part);
      filled += part.length;
    }
    return this.put32(used, filled);
  }

  // --- paths ---

  // Device, number, kind, links, size and three times, of which only kind and size are known.
  status(at, kind, size) {
    this.bytes(at, 64).fill(0);
    this.view.setUint8(at + 16, kind);
    return this.put64(at + 24, 1) || this.put64(at + 32, size);
  }

  path_filestat_get(descriptor, _flags, path, length, at) {
    const name = this.path(descriptor, path, length);
    if (this.folders.has(name)) return this.status(at, FOLDER, 0);
    const file = this.files.get(name);
    return file ? this.status(at, REGULAR, file.size) : NO_ENTRY;
  }

  path_open(descriptor, _follow, path, length, how, _rights, _inherited, _flags, at) {
    const CREATE = 1, ONLY_FOLDER = 2, ONLY_NEW = 4, TRUNCATE = 8;
    const name = this.path(descriptor, path, length);
    if (name === undefined) return BAD_DESCRIPTOR;
    if (this.folders.has(name)) return how & CREATE ? IS_FOLDER : this.opened({ folder: name }, at);
    if (how & ONLY_FOLDER) return this.files.has(name) ? NOT_FOLDER : NO_ENTRY;
    let file = this.files.get(name);
    if (file && how & CREATE && how & ONLY_NEW) return EXISTS;
    if (!file && !(how & CREATE && this.folders.has(name.split("/").slice(0, -1).join("/")))) return NO_ENTRY;
    if (!file || how & TRUNCATE) {
      file = new MemoryFile();
      this.files.set(name, file);
    }
    return this.opened({ file, at: 0 }, at);
  }

  opened(what, at) {
    this.open.set(this.next, what);
    this.next += 1;
    return this.put32(at, this.next - 1);
  }

  path_create_directory(descriptor, path, length) {
    const name = this.path(descriptor, path, length);
    if (this.folders.has(name) || this.files.has(name)) return EXISTS;
    this.folders.add(name);
    return 0;
  }

  path_unlink_file(descriptor, path, length) { return this.files.delete(this.path(descriptor, path, length)) ? 0 : NO_ENTRY; }

  path_rename(from, path, length, to, newPath, newLength) {
    const name = this.path(from, path, length);
    const file = this.files.get(name);
    if (!file) return NO_ENTRY;
    this.files.delete(name);
    this.files.set(this.path(to, newPath, newLength), file);
    return 0;
  }
}
