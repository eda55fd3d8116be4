"""Makes a folder of vendored crates as small as it gets: usage prune_crates.py MANIFEST VENDOR AUTHORS.

Crates that no platform of R builds are left as empty ones, since Cargo.lock names them. Of the others, tests,
benchmarks and examples go. AUTHORS is written with the authors and the licence of every crate that stays.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

PLATFORMS = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-pc-windows-gnu",
    "aarch64-pc-windows-gnullvm",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
]
FOLDERS = ["tests", "benches", "examples", "test_data", "ci", ".github", "fuzz", "etc", "docs", "images"]
FILES = ["Cargo.lock", "Cargo.toml.orig", "CHANGELOG.md", "RELEASES.md", ".gitignore", ".cargo_vcs_info.json"]


def cargo(*arguments: str) -> str:
    return subprocess.run(["cargo", *arguments], check=True, capture_output=True, text=True).stdout


def needed(manifest: str) -> set[tuple[str, str]]:
    """Name and version of every crate that some platform builds."""
    found = set()
    for platform in PLATFORMS:
        where = ["--locked", "--manifest-path", manifest, "--target", platform]
        tree = cargo("tree", *where, "-e", "normal,build", "--prefix", "none")
        for line in tree.splitlines():
            name, version, *_ = line.split()
            found.add((name, version.removeprefix("v")))
    return found


def packages(manifest: str) -> list[dict]:
    return json.loads(cargo("metadata", "--locked", "--format-version", "1", "--manifest-path", manifest))["packages"]


def identity(crate: Path) -> tuple[str, str]:
    """Name and version; there is no reader of TOML in Python 3.10."""
    about = (crate / "Cargo.toml").read_text(encoding="utf-8").split("[package]", 1)[1]
    name, version = (re.search(rf'^{key} = "(.*)"', about, re.MULTILINE) for key in ("name", "version"))
    return name[1], version[1]


def empty(crate: Path) -> None:
    """Leaves only what Cargo reads to know that the crate is there."""
    for path in crate.iterdir():
        if path.name not in ("Cargo.toml", ".cargo-checksum.json"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    (crate / "src").mkdir()
    (crate / "src" / "lib.rs").write_text("")


def trim(crate: Path) -> None:
    for name in FOLDERS:
        shutil.rmtree(crate / name, ignore_errors=True)
    for name in FILES:
        (crate / name).unlink(missing_ok=True)


def forget_sums(crate: Path) -> None:
    """Cargo checks the sums of files that are listed; files that are gone may not be."""
    path = crate / ".cargo-checksum.json"
    path.write_text(json.dumps({"files": {}, "package": json.loads(path.read_text())["package"]}))


def main(manifest: str, vendor: Path, authors: Path) -> None:
    stay = needed(manifest)
    credits = []
    for package in packages(manifest):
        key = (package["name"], package["version"])
        if key in stay and package["source"]:
            names = ", ".join(package["authors"]) or "see its repository"
            credits.append(f"{key[0]} {key[1]}: {package['license']}; {names}")
    for crate in sorted(vendor.iterdir()):
        trim(crate) if identity(crate) in stay else empty(crate)
        forget_sums(crate)
    head = "The package contains crates of others, in src/rust/vendor.tar.xz, with these licences and authors:\n\n"
    authors.write_text(head + "\n".join(sorted(credits)) + "\n", encoding="utf-8")


main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
