"""Puts the page together: scripts, style and the compressed module in one file, and a policy that allows no other."""

import argparse
import base64
import gzip
import hashlib
import html
import json
import re
import tempfile
from pathlib import Path

from wasmtime import Engine, ExitTrap, Linker, Module, Store, WasiConfig

HERE = Path(__file__).resolve().parent
SCRIPTS = ["program.js", "fields.js", "files.js", "page.js"]
WORKER = ["wasi.js", "worker.js"]
LARGEST = 3_000_000  # bytes of the page when it is compressed


class Program:
    """The module, run outside a browser: it is asked for its methods and for a report, and shows that it works."""

    def __init__(self, path: Path) -> None:
        self.engine = Engine()
        self.module = Module.from_file(self.engine, str(path))

    def run(self, folder: Path, *words: str) -> str:
        """What a command prints, with `folder` as its files."""
        config = WasiConfig()
        config.argv = ["tamis", *words]
        config.preopen_dir(str(folder), "/")
        config.stdout_file = str(folder / "printed")
        config.inherit_stderr()
        store = Store(self.engine)
        store.set_wasi(config)
        linker = Linker(self.engine)
        linker.define_wasi()
        try:
            linker.instantiate(store, self.module).exports(store)["_start"](store)
        except ExitTrap as ended:
            if ended.code != 0:
                raise
        return (folder / "printed").read_text(encoding="utf-8")


def digest(text: str) -> str:
    """The source by which a policy names a script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def policy_of(report: str) -> dict[str, str]:
    """The policy of a report, by directive."""
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', report)
    if found is None:
        raise SystemExit("web/assemble.py: the report has no policy")
    return {part.split()[0]: part.split(maxsplit=1)[1] for part in found[1].split("; ")}


def policy(script: str, style: str, report: dict[str, str]) -> str:
    """What the page may do: its own scripts and styles, those of the report that it shows, and the second module beside
    it. No directive allows a connection.
    """
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src 'self' file: 'wasm-unsafe-eval' {digest(script)} {report['script-src']}",
            f"style-src {digest(style)} {report['style-src']}",
            "worker-src blob:",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def packed(module: bytes) -> str:
    """A module as the page holds it."""
    return base64.b64encode(gzip.compress(module, 9, mtime=0)).decode()


def methods_of(listed: str) -> str:
    """The methods that select, as entries of a list."""
    methods = [one for one in json.loads(listed)["methods"] if one["selects"] and one["name"] != "shrink"]
    methods.sort(key=lambda one: one["name"] != "snbl")  # the first is the usual one
    option = '<option value="{0}" title="{1}">{0}</option>'.format
    return "".join(option(html.escape(one["name"]), html.escape(one["summary"])) for one in methods)


def joined(names: list[str]) -> str:
    """Scripts as one, which must not end its element."""
    text = '"use strict";\n' + "".join((HERE / name).read_text(encoding="utf-8") for name in names)
    if "</script" in text or "<!--" in text:
        raise SystemExit(f"web/assemble.py: one of {', '.join(names)} would end its element")
    return text


def main() -> None:
    """Writes the page, and the second module if there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    parser.add_argument("--module", type=Path, required=True)
    parser.add_argument("--parquet", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    program = Program(arguments.module)
    with tempfile.TemporaryDirectory() as folder:
        methods = methods_of(program.run(Path(folder), "methods", "--json"))
        program.run(Path(folder), "demo", "--out=demo", "--quiet")
        report = policy_of((Path(folder) / "demo/report.html").read_text(encoding="utf-8"))
    script, style = joined(SCRIPTS), (HERE / "style.css").read_text(encoding="utf-8")
    module = packed(arguments.module.read_bytes())
    parts = {
        "policy": policy(script, style, report),
        "version": arguments.version,
        "style": style,
        "methods": methods,
        "worker": joined(WORKER),
        "module": module,
        "script": script,
    }
    page = (HERE / "index.html").read_text(encoding="utf-8")
    page = re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], page)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "index.html").write_text(page, encoding="utf-8")
    size, compressed = len(page.encode()), len(gzip.compress(page.encode()))
    print(f"{arguments.out / 'index.html'}: {size / 1e6:.2f} MB, {compressed / 1e6:.2f} MB compressed")
    if compressed > LARGEST:
        raise SystemExit(f"web/assemble.py: the page takes more than {LARGEST / 1e6:.0f} MB when it is compressed")
    if arguments.parquet:
        second = f'globalThis.tamisParquet = "{packed(arguments.parquet.read_bytes())}";\n'
        (arguments.out / "tamis-parquet.js").write_text(second, encoding="utf-8")
        print(f"{arguments.out / 'tamis-parquet.js'}: {len(second) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
