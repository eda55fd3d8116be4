//! The page in a browser: dropping files, pressing buttons, saving, and looking into the report.

use crate::chromium::{Browser, address};
use crate::common::Place;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The page in a browser, with a folder of files.
pub struct Page {
    pub browser: Browser,
    pub index: PathBuf,
    pub place: Place,
}

impl Page {
    /// None, and a loud word, where the page or the browser is missing.
    pub fn open() -> Option<Page> {
        let Some(index) = std::env::var_os("TAMIS_PAGE").map(PathBuf::from) else {
            eprintln!("\n*** SKIPPED: TAMIS_PAGE names no page (web/build makes one), so it was not opened ***\n");
            return None;
        };
        let Some(mut browser) = Browser::start() else {
            eprintln!("\n*** SKIPPED: no Chromium here, so the page was not opened in a browser ***\n");
            return None;
        };
        let folder = json!({"behavior": "allow", "downloadPath": browser.folder.path()});
        browser.call("Page.setDownloadBehavior", folder);
        browser.visit(&index);
        Some(Page { browser, index, place: Place::new() })
    }

    /// Drops files on the page, as from a file manager, and waits until they are read.
    pub fn drop_files(&mut self, names: &[&str]) {
        let files: Vec<PathBuf> = names.iter().map(|name| self.place.path(name)).collect();
        let data = json!({"items": [], "files": files, "dragOperationsMask": 1});
        for kind in ["dragEnter", "dragOver", "drop"] {
            self.browser.call("Input.dispatchDragEvent", json!({"type": kind, "x": 300, "y": 300, "data": data}));
        }
        let last = names.last().unwrap();
        self.browser.wait(&format!("document.querySelector('#given').textContent.includes({last:?})"));
        self.wait_for("#study");
    }

    /// Waits until the page shows this section, or an alert.
    pub fn wait_for(&mut self, section: &str) {
        let shown = format!(
            "document.querySelector('#busy').hidden && \
             ['{section}', '#alert'].some((shown) => !document.querySelector(shown).hidden)"
        );
        self.browser.wait(&shown);
    }

    /// Presses the button, and waits for the answer.
    pub fn run(&mut self) {
        self.browser.value("document.querySelector('#run').click()");
        self.wait_for("#result");
    }

    pub fn alert(&mut self) -> String {
        self.browser.text("#alert")
    }

    /// Saves a file by its link, and returns its text.
    pub fn saved(&mut self, link: &str) -> String {
        let name = self.browser.value(&format!("document.querySelector({link:?}).download"));
        let name = name.as_str().unwrap();
        let path = self.browser.folder.path().join(name);
        let _ = std::fs::remove_file(&path);
        self.browser.value(&format!("document.querySelector({link:?}).click()"));
        let started = Instant::now();
        while !path.exists() {
            assert!(started.elapsed() < Duration::from_secs(20), "{name} was not saved");
            std::thread::sleep(Duration::from_millis(20));
        }
        std::fs::read_to_string(path).unwrap()
    }

    /// The result that the page offers.
    pub fn result(&mut self) -> Value {
        assert_eq!(self.alert(), "");
        serde_json::from_str(&self.saved("#save-json")).unwrap()
    }

    /// The value of an expression in the report that the page shows.
    pub fn in_report(&mut self, expression: &str) -> Value {
        let tree = self.browser.call("Page.getFrameTree", json!({}));
        let frame = &tree["frameTree"]["childFrames"][0]["frame"]["id"];
        let world = self.browser.call("Page.createIsolatedWorld", json!({"frameId": frame}));
        let asked = json!({"expression": expression, "returnByValue": true, "contextId": world["executionContextId"]});
        let answer = self.browser.call("Runtime.evaluate", asked);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    pub fn wait_in_report(&mut self, expression: &str) {
        let started = Instant::now();
        while self.in_report(expression) != true {
            assert!(started.elapsed() < Duration::from_secs(30), "never true in the report: {expression}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Runs a command in the page as its own script does, over files of the folder, and returns how it ended.
    pub fn command(&mut self, words: &[&str], files: &[&str]) -> Value {
        let input = "(() => { const e = document.createElement('input'); e.type = 'file'; e.multiple = true; \
                     e.id = 'tested'; document.querySelector('#tested')?.remove(); document.body.append(e); return e; })()";
        let made = self.browser.call("Runtime.evaluate", json!({"expression": input}));
        let paths: Vec<PathBuf> = files.iter().map(|name| self.place.path(name)).collect();
        let given = json!({"files": paths, "objectId": made["result"]["objectId"]});
        self.browser.call("DOM.setFileInputFiles", given);
        self.browser.value(&format!(
            "(async () => {{ const files = Object.fromEntries([...document.querySelector('#tested').files].map((f) => [f.name, f])); \
             const ended = await runProgram({}, files, () => {{}}); \
             return {{ status: ended.status, out: ended.out, errors: ended.errors }}; }})()",
            json!(words)
        ))
    }

    /// Nothing but the page and what is inside it was asked for.
    pub fn assert_no_connection(&self) {
        let beside = address(self.index.parent().unwrap());
        for event in self.browser.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent") {
            let url = event["params"]["request"]["url"].as_str().unwrap();
            let own = ["data:", "blob:", "about:"].iter().any(|scheme| url.starts_with(scheme));
            assert!(own || url.starts_with(&beside), "{url}");
        }
    }
}
