"""The browser page beside the program, one thread each: what `compare.py` runs under the name web.

Needs Chromium and the page that `web/build` makes. Alone it takes the program, the page and a table:
    python3 bench/browser_page.py PROGRAM target/dist/web/index.html TABLE.csv
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from side_by_side import verdict

BAR = 3  # times as long as the program
OUTPUTS = ["--report=out/report.html", "--csv=out/table.csv", "--json=out/result.json"]


class Chromium:
    """A browser with one tab, driven through its own protocol over a pipe."""

    def __init__(self, folder):
        to_browser, self.commands = os.pipe()
        self.answers, from_browser = os.pipe()
        program = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
        if program is None:
            sys.exit("there is no Chromium to measure the page in")
        options = '--headless --no-sandbox --disable-gpu --user-data-dir="$1" --remote-debugging-pipe about:blank'
        line = f'exec "$0" {options} 3<&{to_browser} 4>&{from_browser}'
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        passed = [to_browser, from_browser]
        self.process = subprocess.Popen(["bash", "-c", line, program, folder], pass_fds=passed, **quiet)
        self.input, self.last, self.session, self.rest = os.fdopen(self.commands, "wb", 0), 0, None, b""
        page = next(one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]

    def call(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.input.write(json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                self.rest += os.read(self.answers, 1 << 16)
            text, _, self.rest = self.rest.partition(b"\0")
            answer = json.loads(text)
            if answer.get("id") == self.last:
                return answer["result"]

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer}")
        return answer["result"].get("value")


def seconds_of_page(browser, table):
    """One run, by the module's own clock, as the program tells its time."""
    make = "globalThis.chooser = Object.assign(document.createElement('input'), { type: 'file' })"
    made = browser.call("Runtime.evaluate", expression=make)["result"]["objectId"]
    browser.call("DOM.setFileInputFiles", files=[str(Path(table).resolve())], objectId=made)
    words = ["select", "--target=label", *OUTPUTS, "--"]
    status, errors, result = browser.value(f"""(async () => {{
        const [file] = chooser.files;
        const ended = await runProgram([...{json.dumps(words)}, file.name], {{ [file.name]: file }}, () => {{}});
        return [ended.status, ended.errors, new TextDecoder().decode(ended.written["out/result.json"])];
    }})()""")
    if status != 0:
        sys.exit(errors)
    return json.loads(result)["seconds"]


def seconds_of_program(program, table, folder):
    options = ["--target=label", "--threads=1", "--quiet", *OUTPUTS]
    line = [str(Path(program).resolve()), "select", str(Path(table).resolve()), *options]
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL, cwd=folder)
    return json.loads((Path(folder) / "out/result.json").read_text())["seconds"]


def compare(program, page, table, repeats=5):
    """Prints the least of the repeats of each, in turn, and their ratio."""
    print("\n## The browser page, 200 × 20,000 (`select`, 199 permutations), one thread each\n")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "out").mkdir()
        browser = Chromium(f"{folder}/profile")
        try:
            browser.call("Page.navigate", url=f"file://{Path(page).resolve()}")
            while browser.value("document.documentElement?.dataset.ready ?? ''") != "yes":
                pass
            both = (lambda: seconds_of_program(program, table, folder), lambda: seconds_of_page(browser, table))
            pairs = [[job() for job in both] for _ in range(repeats)]
        finally:
            browser.process.terminate()
            browser.process.wait()
    mine, theirs = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    ratio = theirs / mine
    print(f"program {mine:6.2f} s\npage    {theirs:6.2f} s   {ratio:4.2f}×   bar {BAR}×: {verdict(ratio, BAR, False)}")


if __name__ == "__main__":
    compare(*sys.argv[1:4])
