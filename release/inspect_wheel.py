"""Inspects a wheel: its size, its contents, and what its library exports and needs."""

import argparse
import sys
import zipfile
from pathlib import Path

NEEDED = ("LICENSE-MIT", "LICENSE-APACHE", "py.typed", "entry_points.txt", "_core.pyi")


def main() -> None:
    """Exits with status 1 if something is wrong with the wheel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--most-bytes", type=int, default=12_000_000)
    options = parser.parse_args()
    faults = []
    size = options.wheel.stat().st_size
    if size > options.most_bytes:
        faults.append(f"{size} bytes, more than {options.most_bytes}")
    with zipfile.ZipFile(options.wheel) as archive:
        names = archive.namelist()
        faults += [f"no {needed}" for needed in NEEDED if not any(name.endswith(needed) for name in names)]
        libraries = [name for name in names if name.endswith((".so", ".pyd", ".dylib"))]
        if len(libraries) != 1:
            faults.append(f"{len(libraries)} libraries")
        for name in libraries:
            faults += exports(archive.read(name))
    for fault in faults:
        print(f"{options.wheel.name}: {fault}", file=sys.stderr)
    print(f"{options.wheel.name}: {size / 1e6:.2f} MB, {len(names)} files", file=sys.stderr)
    sys.exit(bool(faults))


def exports(library: bytes) -> list[str]:
    """Faults of an ELF library: symbols it exports beside its entry, and libraries it needs beside the C library's."""
    if not library.startswith(b"\x7fELF"):
        return [] if b"PyInit__core" in library else ["no entry for Python"]
    import io

    from elftools.elf.elffile import ELFFile

    elf = ELFFile(io.BytesIO(library))
    symbols = elf.get_section_by_name(".dynsym").iter_symbols()
    exported = [
        s.name for s in symbols if s["st_shndx"] != "SHN_UNDEF" and s["st_info"]["bind"] == "STB_GLOBAL" and s.name
    ]
    faults = [] if "PyInit__core" in exported else ["no entry for Python"]
    others = [name for name in exported if name != "PyInit__core" and not name.startswith(("_init", "_fini", "__"))]
    if others:
        faults.append(f"exports {len(others)} symbols more than its entry: {', '.join(others[:5])}")
    needed = [tag.needed for tag in elf.get_section_by_name(".dynamic").iter_tags() if tag.entry.d_tag == "DT_NEEDED"]
    known = ("libc.", "libm.", "libgcc_s.", "libpthread.", "libdl.", "librt.", "ld-linux", "libunwind")
    return faults + [f"needs {name}" for name in needed if not name.startswith(known)]


if __name__ == "__main__":
    main()
