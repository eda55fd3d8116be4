//! Chromium, driven through its own protocol over a pipe; `TAMIS_CHROMIUM` names one that is not on the path.
#![allow(dead_code)] // not every test does everything

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A browser with one tab, and what it said since the last page was opened.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    session: Option<String>,
    last: u64,
    pub events: Vec<Value>,
    pub folder: TempDir,
}

impl Browser {
    /// None where there is no Chromium.
    pub fn start() -> Option<Browser> {
        let program = std::env::var("TAMIS_CHROMIUM").ok().or_else(|| {
            let names = ["chromium", "chromium-browser", "google-chrome"];
            let found = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success());
            names.into_iter().find(found).map(str::to_string)
        })?;
        let folder = tempfile::tempdir().unwrap();
        // It reads commands from file 3 and writes answers to file 4.
        let script = "exec \"$0\" --headless --no-sandbox --disable-gpu --disable-background-networking \
                      --disable-features=IsolateSandboxedIframes \
                      --user-data-dir=\"$1\" --remote-debugging-pipe about:blank 3<&0 4>&1 </dev/null >/dev/null 2>&1";
        let mut child = Command::new("sh")
            .args(["-c", script, &program])
            .arg(folder.path().join("profile"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut browser = Browser { child, input, output, session: None, last: 0, events: vec![], folder };
        let targets = browser.call("Target.getTargets", json!({}));
        let page = targets["targetInfos"].as_array().unwrap().iter().find(|t| t["type"] == "page").unwrap();
        let attached = browser.call("Target.attachToTarget", json!({"targetId": page["targetId"], "flatten": true}));
        browser.session = attached["sessionId"].as_str().map(str::to_string);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.input.write_all(format!("{message}\0").as_bytes()).unwrap();
        self.input.flush().unwrap();
        loop {
            let mut text = vec![];
            assert!(self.output.read_until(0, &mut text).unwrap() > 0, "the browser went away");
            let answer: Value = serde_json::from_slice(&text[..text.len() - 1]).unwrap();
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// The value of an expression in the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", asked);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    pub fn text(&mut self, selector: &str) -> String {
        let found = self.value(&format!("document.querySelector({selector:?}).textContent"));
        found.as_str().unwrap().to_string()
    }

    /// Opens a page and waits until it is drawn; returns how long that took.
    pub fn open(&mut self, name: &str, page: &str) -> Duration {
        let path = self.folder.path().join(name);
        std::fs::write(&path, page).unwrap();
        self.visit(&path)
    }

    /// Opens a page that exists, as `open` does.
    pub fn visit(&mut self, path: &Path) -> Duration {
        self.events.clear();
        let started = Instant::now();
        self.call("Page.navigate", json!({"url": address(path)}));
        let name = path.file_name().unwrap().to_str().unwrap();
        self.wait(&format!(
            "location.pathname.endsWith({name:?}) && document.documentElement?.dataset.ready === 'yes'"
        ));
        started.elapsed()
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        let started = Instant::now();
        while self.value(expression) != true {
            assert!(started.elapsed() < Duration::from_secs(60), "never true: {expression}; {:?}", self.events);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Sets an input as a reader does.
    pub fn set(&mut self, selector: &str, value: &str, event: &str) {
        self.value(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.value = {value:?}; \
             e.dispatchEvent(new Event({event:?}, {{ bubbles: true }})); }})()"
        ));
    }

    /// Nothing went wrong, and nothing was asked for but the page itself.
    pub fn assert_quiet(&mut self, name: &str) {
        self.value("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))");
        for event in &self.events {
            let method = event["method"].as_str().unwrap_or("");
            let wrong = ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"];
            assert!(!wrong.contains(&method), "{name}: {event}");
            if method == "Network.requestWillBeSent" {
                let url = event["params"]["request"]["url"].as_str().unwrap();
                assert!(url == address(&self.folder.path().join(name)) || url.starts_with("data:"), "{name}: {url}");
            }
        }
    }

    /// Makes the window this wide, and waits until the page has followed.
    pub fn width(&mut self, width: u32) {
        let window = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500});
        self.call("Emulation.setDeviceMetricsOverride", window);
        self.value("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 60)))");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn address(path: &Path) -> String {
    format!("file://{}", path.display())
}
