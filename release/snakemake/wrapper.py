"""Runs `tamis select` for a rule: a table in; a result, a table of features, a report or a reduced table out."""

import shlex

from snakemake.shell import shell

given, wanted, params = snakemake.input, snakemake.output, snakemake.params  # noqa: F821 - Snakemake defines these

arguments = ["tamis", "select", given.get("table", given[0])]
if given.get("samples"):
    arguments += ["--samples", given.samples]
if params.get("target"):
    arguments += ["--target", params.target]
files = {option: wanted.get(option) for option in ("json", "csv", "report", "reduced") if wanted.get(option)}
if len(files) != len(wanted):
    raise ValueError("name every output json, csv, report or reduced")
for option, path in files.items():
    arguments += [f"--{option}", path]
arguments += ["--threads", str(snakemake.threads)]  # noqa: F821

command = " ".join(shlex.quote(str(argument)) for argument in arguments)
extra, log = params.get("extra", ""), snakemake.log_fmt_shell(stdout=True, stderr=True)  # noqa: F821
shell("{command} {extra} {log}")
