# What the scripts of this folder share: where things are, which tools they use, and the record of what was made.

shopt -s inherit_errexit # a failure within $(…) is a failure
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
target=${CARGO_TARGET_DIR:-$root/target}
mkdir -p "$target"
target=$(cd "$target" && pwd)
export CARGO_TARGET_DIR=$target
dist=${TAMIS_DIST:-$target/dist}
tools=$target/release-tools
record=$dist/artefacts.tsv
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
TAMIS_COMMIT=${TAMIS_COMMIT:-$(git rev-parse HEAD 2>/dev/null || true)}
export TAMIS_COMMIT
mkdir -p "$dist"

# maturin, zig and the rest, as pinned, in an environment of their own.
need_tools() {
  if [ ! -x "$tools/bin/maturin" ]; then
    python3 -m venv "$tools"
    "$tools/bin/python" -m pip install --quiet --disable-pip-version-check -r release/requirements.txt
  fi
  export PATH=$tools/bin:$PATH
}

# The standard library for a target; false where it cannot be had.
need_target() {
  rustup target list --installed 2>/dev/null | grep -qx "$1" || rustup target add "$1" >/dev/null 2>&1
}

# Prints every Python of 3.10 or newer that is here, one per minor version.
pythons() {
  local candidates=("${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3 /usr/bin/python3.?? /usr/local/bin/python3.??) one
  for one in "${candidates[@]}" "$(command -v python3)"; do
    [ -x "$one" ] || continue
    "$one" -c 'import sys, venv, ensurepip; sys.version_info >= (3, 10) or sys.exit(1)
print("%d.%d" % sys.version_info[:2], sys.executable)' 2>/dev/null || true
  done | sort -t. -k1,1n -k2,2n -u -s | awk '!seen[$1]++ { print $2 }'
}

say() { printf '\n== %s\n' "$*" >&2; }

# Wheels and programs of a target are built with the same profile, flags and linker, so that crates are compiled once for both.
share_crates() {
  export RUSTC_WORKSPACE_WRAPPER=$root/release/library_or_program CARGO_PROFILE_RELEASE_STRIP=symbols MACOSX_DEPLOYMENT_TARGET=11.0
}

# with_zig COMMAND …: runs maturin or cargo-zigbuild. Both make a linker of zig, named for the program that makes it, and Cargo
# compiles everything again when its linker has another name. Here both name it for cargo-zigbuild.
with_zig() { env "CARGO_BIN_EXE_cargo-zigbuild=$tools/bin/cargo-zigbuild" "$@"; }

# pack PARENT NAME: archives PARENT/NAME as NAME.tar.gz; the same files give the same archive.
pack() {
  tar --sort=name --mtime="@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}" --owner=0 --group=0 \
    --numeric-owner -C "$1" -cf - "$2" | gzip -9n >"$dist/$2.tar.gz"
}

# The host's triple.
host() { rustc -vV | sed -n 's/^host: //p'; }

# not_made NAME REASON: notes an artefact that could not be built, loudly.
not_made() {
  printf '\n!! NOT BUILT: %s: %s\n' "$1" "$2" >&2
  made "$1" "NO: $2" "-"
}

# made FILE BUILT TESTED: notes an artefact.
made() {
  local size="-" sum="-"
  if [ -f "$1" ]; then
    size=$(stat -c %s "$1")
    sum=$(sha256sum "$1" | cut -d' ' -f1)
  fi
  local name=${1##*/}
  forget "$name"
  printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$size" "$2" "$3" "$sum" >>"$record"
}

# forget NAME: takes an artefact out of the record, as what an earlier run noted of it no longer holds.
forget() {
  touch "$record"
  NAME=$1 awk -F '\t' '$1 != ENVIRON["NAME"]' "$record" >"$record.new"
  mv "$record.new" "$record"
}

# Prints the record as a table, and below it what is missing; false if something is.
print_table() {
  python3 - "$record" <<'END_OF_TABLE'
import sys
rows = [("artefact", "size", "built", "tested", "sha256")]
for line in open(sys.argv[1], encoding="utf-8"):
    name, size, built, tested, sha256 = line.rstrip("\n").split("\t")
    rows.append((name, f"{int(size) / 1e6:.2f} MB" if size.isdigit() else size, built, tested, sha256))
widths = [max(len(row[i]) for row in rows) for i in range(5)]
for row in rows:
    print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
missing = [row for row in rows if row[2].lower().startswith("no")]
for row in missing:
    print(f"!! NOT BUILT: {row[0]}: {row[2][4:]}")
sys.exit(bool(missing))
END_OF_TABLE
}
