"""Writes the first cases of the corpus: small files of every kind, made by the program and by other libraries.

    python fuzz/make_corpus.py TAMIS

The first byte of a table's case chooses options (`options` in `src/readers.rs`).
"""

import io
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).parent
FIXTURES = HERE.parent / "crates/tamis/tests/fixtures"
OLD = HERE.parent / "crates/tamis-cli/tests/v1"


def put(target: str, name: str, data: bytes | str) -> None:
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)


def rows(columns: int, count: int, seed: int) -> str:
    draw = random.Random(seed)
    lines = [",".join([*(f"f{j}" for j in range(columns)), "y"])]
    for i in range(count):
        cells = [f"{draw.gauss((j == 0) * 2 * (i % 2), 1):.3f}" for j in range(columns)]
        lines.append(",".join([*cells, "ab"[i % 2]]))
    return "\n".join(lines) + "\n"


def texts() -> None:
    small = rows(4, 10, 1)
    cases = {
        "plain": "\0" + small,
        "tabs": "\0" + small.replace(",", "\t"),
        "comma": "\x20" + small.replace(",", ";").replace(".", ","),
        "crlf": "\0" + small.replace("\n", "\r\n"),
        "quoted": '\0"a,1","b ""x""","y"\n1,"2",u\n"3\n",4,v\n5,6,u\n7,8,v\n',
        "open_quote": '\0a,b,y\n1,2,u\n1,"5,0\n3,4,v\n',
        "nul": b"\0a,y\n1,u\n2,\0\n",
        "weights": "\x04" + small.replace("f3", "w").replace("-", ""),
        "event": "\x08" + "f,event,y\n1,1,3\n2,0,4\n3,1,5\n4,1,2\n",
        "missing": "\x10" + small.replace("1", "-9"),
        "row_names": "\0" + small.replace("f0,", "", 1),
        "large": "\0a,b,y\n1e305,2,u\n1,2,v\n3,4,u\n5,6,v\n",
        "escapes": "\0\x1b[31mboo,\u202eb,y\n1,2,u\n3,4,v\n5,6,u\n7,9,v\n",
        "empty_name": "\0a,,y\n1,2,u\n3,4,v\n5,6,u\n7,9,v\n",
        "no_feature": "\0y\nu\nv\nu\nv\n",
        "numeric": "\0" + small.replace("a\n", "1.5\n").replace("b\n", "-2.25\n"),
        "categories": "\0a,b,y\nred,1,u\ngreen,2,v\nred,3,u\nblue,4,v\n,5,u\n",
        "covariate": "\x40" + small.replace("f2", "c"),
        "id": "\x80" + small.replace("f1", "id"),
    }
    for name, text in cases.items():
        for target in ["csv", "round_trips", "pieces"]:
            put(target, name, text)
    put("transposed", "plain", "\0gene,s1,s2,s3\na,1,2,3\nb,4,5,x\n")
    put("transposed", "numbers", "\0gene,s1,s2,s3\na,1,2,3\nb,4,5,NA\n")
    put("samples", "upright", b"\x80id,a,b\ns1,1,2\ns2,3,4\ns3,5,6\ns4,7,9\n\xffid,y\ns1,u\ns2,v\ns3,u\ns4,v\n")
    put("samples", "transposed", b"\0g,s1,s2,s3,s4\na,1,2,3,4\nb,4,5,6,9\n\xffid,y\ns4,u\ns3,v\ns2,u\ns1,v\n")
    put("statistics", "scores", "\0gene,z\na,1.5\nb,-2\nc,0\n")
    put("statistics", "limma", "\0,logFC,AveExpr,t,P.Value,adj.P.Val,B\ng1,1,5,3.2,0.01,0.1,2\ng2,-1,5,-2.2,0.05,0.2,1\n")
    put("feature_groups", "columns", "\0feature,group\na,one\nb,one\nc,two\n")
    put("feature_groups", "gmt", "\x01set1\tabout\ta\tb\nset2\t\tc\tz\n")
    put("libsvm", "plain", "\0+1 1:2.5 3:-1e2 # one\n-1 qid:7 2:4\n1\n-1 3:nan\n")
    put("libsvm", "wide", "\x001 1:1\n0 2:1\n1 49999999:1\n0 1:2\n")
    put("libsvm", "index_0", "\x001 0:1\n0 2:1\n")
    head = "@relation r\n@attribute a numeric\n@attribute 'b c' {x,'y z'}\n@attribute d string\n@attribute y {u,v}\n@data\n"
    put("arff", "dense", "\0" + head + "1,x,k,u\n2,'y z',l,v\n?,x,m,u\n4,x,k,v\n")
    put("arff", "sparse", "\0" + head + "{0 1,3 u}\n{0 2,1 'y z',3 v}\n{3 u}\n{}\n")
    put("arff", "empty_name", "\0@relation r\n@attribute '' numeric\n@data\n1\n")
    series = '!Sample_title\t"s1"\t"s2"\t"s3"\t"s4"\n!Sample_geo_accession\t"G1"\t"G2"\t"G3"\t"G4"\n'
    matrix = '"ID_REF"\t"G1"\t"G2"\t"G3"\t"G4"\n"p1"\t1\t2\t3\t4\n"p2"\t5\t6\t7\t9\n'
    put("geo", "plain", f"\0!Series_title\t\"x\"\n{series}!series_matrix_table_begin\n{matrix}!series_matrix_table_end\n")
    mtx = "%%MatrixMarket matrix coordinate real general\n8 3 4\n1 1 2\n2 3 1.5\n8 2 -1\n4 1 3\n"
    put("mtx", "plain", "\0" + mtx)
    put("mtx", "huge", "\0%%MatrixMarket matrix coordinate real general\n4000000000 4000000000 1\n1 1 1\n")
    put("splits", "plain", '{"splits": [{"train": [0, 1, 2, 3, 4, 5], "test": [6, 7, 8, 9, 10, 11]}]}')
    put("splits", "beyond", '{"splits": [{"train": [0, 1, 99], "test": [4294967296, -1]}]}')


def npy(descr: str, shape: str, data: bytes) -> bytes:
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data


def archives() -> None:
    for name in ["formats_f4.npy", "formats_i8.npy", "formats_f8_big.npy", "formats_f8_fortran.npy"]:
        put("npy", name, b"\0" + (FIXTURES / name).read_bytes())
    put("npy", "huge", b"\0" + npy("<f8", "(4294967295, 4294967295)", b"\0" * 64))
    for name in ["formats_deflated.npz", "formats_stored.npz"]:
        put("npz", name, b"\0" + (FIXTURES / name).read_bytes())
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        array = lambda code, *values: npy(code, f"({len(values)},)", struct.pack(f"<{len(values)}" + {"<f8": "d", "<i4": "i", "<i8": "q"}[code], *values))
        archive.writestr("indices.npy", array("<i4", 0, 2, 1, 0))
        archive.writestr("indptr.npy", array("<i4", 0, 1, 2, 2, 3, 3, 3, 3, 4))
        archive.writestr("format.npy", npy("|S3", "()", b"csr"))
        archive.writestr("shape.npy", array("<i8", 8, 3))
        archive.writestr("data.npy", array("<f8", 1.0, 2.0, 3.0, 4.0))
    put("scipy", "csr", b"\0" + out.getvalue())
    for target, name in [("parquet", "columnar.parquet"), ("arrow", "columnar.feather"), ("arrow", "columnar-lz4.feather")]:
        put(target, name, b"\0" + (FIXTURES / name).read_bytes())


def sheet(cells: str, texts: str = "") -> bytes:
    space = "http://schemas.openxmlformats.org"
    main, office = f"{space}/spreadsheetml/2006/main", f"{space}/officeDocument/2006/relationships"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{space}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{space}/package/2006/relationships"><Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="one" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{space}/package/2006/relationships"><Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
    }
    if texts:
        parts["xl/sharedStrings.xml"] = texts
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def sheets() -> None:
    def row(at: int, *cells: str) -> str:
        inner = "".join(
            f'<c r="{chr(65 + j)}{at}" t="inlineStr"><is><t>{cell}</t></is></c>' if not cell[0].isdigit() else f'<c r="{chr(65 + j)}{at}"><v>{cell}</v></c>'
            for j, cell in enumerate(cells)
        )
        return f'<row r="{at}">{inner}</row>'

    plain = "".join([row(1, "a", "b", "y"), row(2, "1", "2", "u"), row(3, "3", "4", "v"), row(4, "5", "6", "u"), row(5, "7", "9", "v")])
    put("xlsx", "plain", b"\0" + sheet(plain))
    far = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    put("xlsx", "far_apart", b"\0" + sheet(far))
    shared = plain.replace("<v>1</v>", '<f t="shared" ref="A2:A5" si="4294967295">B2</f><v>1</v>')
    put("xlsx", "shared_formula", b"\0" + sheet(shared))
    put("xlsx", "declared_texts", b"\0" + sheet(plain, '<sst uniqueCount="1099511627776"><si><t>a</t></si></sst>'))


def saved(program: str) -> None:
    for name in ["model.json", "machines.json", "pipeline.json"]:
        put("model", name, (OLD / name).read_bytes())
        put("result", name, (OLD / name).read_bytes())
    for name in ["npfs.json", "pairs.json", "evaluation.json"]:
        put("result", name, (OLD / name).read_bytes())
    put("state", "old", (OLD / "state.part").read_bytes())
    put("codes", "state", (OLD / "state.part").read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        (at / "in.csv").write_text(rows(3, 16, 2))

        def run(*arguments: str) -> None:
            subprocess.run([program, *arguments], cwd=at, check=True, capture_output=True)

        for method in ["dlda", "lda", "logistic", "naive-bayes", "cart", "pcvm"]:
            run("fit", "in.csv", "--target", "y", "--method", method, "--model", "m.json")
            put("model", method, (at / "m.json").read_bytes())
        for method in ["snbl", "t", "npfs", "pairs", "auc-curve"]:
            run("select", "in.csv", "--target", "y", "--method", method, "--json", "r.json", "--permutations=19" if method == "pairs" else "--quiet")
            if (at / "r.json").stat().st_size < 20_000:
                put("result", method, (at / "r.json").read_bytes())
        run("partial", "in.csv", "--target", "y", "--out", "s.part")
        put("state", "classes", (at / "s.part").read_bytes())


def methods(program: str) -> None:
    count = sum(not line.startswith(" ") for line in subprocess.run([program, "methods"], capture_output=True, text=True).stdout.splitlines())
    draw = random.Random(3)
    for method in range(count):
        for kind in [0, 2, 3]:
            put("methods", f"{method:02}_{kind}", bytes([method, 12, 4, kind, *(draw.randrange(128, 256) for _ in range(70))]))
        put("methods", f"{method:02}_odd", bytes([method, 12, 4, draw.randrange(256), *(draw.randrange(256) for _ in range(70))]))


if __name__ == "__main__":
    texts()
    archives()
    sheets()
    saved(sys.argv[1])
    methods(sys.argv[1])
