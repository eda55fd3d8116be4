//! Pages in a real browser. Without Chromium the test says so loudly and checks nothing.
#![cfg(unix)]

use crate::chromium::Browser;
use crate::common::{
    evaluation, hostile, numbers, of_classes, of_needed, of_numbers, of_relations, of_survival, scores,
};
use serde_json::{Value, json};
use tamis::result::samples::MedianHalves;
use tamis::result::{SampleValues, SelectionResult};
use tamis::table::Target;
use tamis_report::{page, selection_page};

impl Browser {
    /// Moves the pointer over the plot of a figure, to these shares of its width and height; what the box says there.
    fn point(&mut self, figure: &str, across: f64, down: f64) -> Vec<String> {
        self.pointer("mouseMoved", figure, across, down);
        self.value("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)))");
        let lines = self.value("[...document.querySelectorAll('#hover:not([hidden]) div')].map((e) => e.textContent)");
        lines.as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_string()).collect()
    }

    fn pointer(&mut self, kind: &str, figure: &str, across: f64, down: f64) {
        let place = self.value(&format!(
            "(() => {{ const e = document.querySelector({figure:?}).querySelector('.u-over'); \
             const r = e.getBoundingClientRect(); \
             return [r.left + {across} * r.width, r.top + {down} * r.height]; }})()"
        ));
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({"type": kind, "x": place[0], "y": place[1], "button": button, "clickCount": 1});
        self.call("Input.dispatchMouseEvent", event);
    }

    /// How many pictures are drawn, and that none of them is empty or wider than the page.
    fn pictures(&mut self) -> u64 {
        let found = self.value(
            "(() => { const all = [...document.querySelectorAll('figure canvas')];
               const empty = all.filter((c) => { const copy = new OffscreenCanvas(c.width, c.height).getContext('2d', { willReadFrequently: true });
                 copy.drawImage(c, 0, 0); const d = copy.getImageData(0, 0, c.width, c.height).data;
                 return !d.some((v, i) => i % 4 === 3 && v > 0); });
               return [all.length, empty.length, document.documentElement.scrollWidth - innerWidth]; })()",
        );
        assert_eq!(found[1], 0, "an empty picture");
        assert!(found[2].as_i64().unwrap() <= 0, "wider than the page");
        found[0].as_u64().unwrap()
    }
}

#[test]
fn pages_work_in_a_browser() {
    let Some(mut browser) = Browser::start() else {
        eprintln!("\n*** SKIPPED: no Chromium here, so the report was not opened in a browser ***\n");
        return;
    };
    the_slider_and_the_search_change_what_is_counted(&mut browser);
    names_stay_text(&mut browser);
    twenty_thousand_features_are_usable(&mut browser);
    every_kind_of_result_is_drawn(&mut browser);
    the_values_of_a_picked_feature_are_drawn(&mut browser);
    curves_of_survival_are_read_off_as_they_were_computed(&mut browser);
    classes_with_hostile_names_stay_text(&mut browser);
    relations_are_drawn_beside_the_values(&mut browser);
    a_pair_of_the_map_shows_its_table(&mut browser);
    what_is_needed_is_drawn(&mut browser);
}

fn what_is_needed_is_drawn(browser: &mut Browser) {
    let (saved, values) = of_needed();
    let nodes = saved.findings.iter().flatten().map(|finding| finding.members.len()).sum::<usize>();
    for width in [1200, 360] {
        browser.width(width);
        browser.open("needed.html", &selection_page(&saved, Some(&values)).unwrap());
        browser.pictures();
        assert_eq!(browser.value("document.querySelectorAll('#needed canvas').length"), 4);
        let circles = browser.value("document.querySelectorAll('#needed svg.graph circle').length").as_u64().unwrap();
        assert!(circles as usize >= nodes, "{circles} of {nodes}");
        assert!(browser.value("document.querySelectorAll('#needed svg.graph path').length").as_u64().unwrap() >= 1);
        assert_eq!(browser.value("document.querySelectorAll('#needed b, #needed .words b').length"), 0);
        assert_eq!(browser.value("window.hacked ?? null"), Value::Null);
        browser.assert_quiet("needed.html");
    }
    browser.width(1200);
    // the saved result alone has no samples: components and prediction are left out
    browser.open("needed-saved.html", &page(crate::common::text(&saved).as_bytes(), "needed.json").unwrap());
    assert_eq!(browser.value("document.querySelectorAll('#needed canvas').length"), 2);
    assert!(browser.text("#needed > .words").contains("tamis evaluate in.csv --target y --method needed"));
    browser.assert_quiet("needed-saved.html");
}

fn a_pair_of_the_map_shows_its_table(browser: &mut Browser) {
    browser.open("pairs.html", &selection_page(&crate::common::of_pairs(), None).unwrap());
    assert_eq!(browser.value("document.querySelectorAll('svg.map rect').length"), 2);
    browser.value("document.querySelector('#pair').replaceChildren()");
    browser.value("document.querySelector('svg.map rect').dispatchEvent(new Event('click'))");
    assert_eq!(browser.value("document.querySelectorAll('#pair tbody td').length"), 9);
    assert_eq!(browser.value("document.querySelectorAll('#pair b').length"), 0);
    browser.assert_quiet("pairs.html");
}

fn relations_are_drawn_beside_the_values(browser: &mut Browser) {
    let names = ["wide", "<b>left</b>", "</script><script>window.hacked = 1</script>"];
    let (saved, values) = of_relations(&names);
    browser.width(1200);
    browser.open("relations.html", &selection_page(&saved, Some(&values)).unwrap());
    let at = |index: usize| values.features.iter().position(|f| f.index == index).unwrap().to_string();
    browser.set("#feature", &at(0), "change");
    assert_eq!(browser.value("document.querySelectorAll('#one canvas').length"), 2, "boxes and densities");
    browser.set("#feature", &at(1), "change");
    assert_eq!(browser.value("document.querySelectorAll('#one canvas').length"), 1);
    assert_eq!(browser.value("document.querySelectorAll('#one table.pair tbody td').length"), 9);
    assert!(browser.text("#one table.pair thead").contains("<b>left</b>"));
    assert_eq!(browser.value("window.hacked ?? null"), Value::Null);
    browser.assert_quiet("relations.html");
}

fn the_slider_and_the_search_change_what_is_counted(browser: &mut Browser) {
    let saved = scores(400, 20);
    let p = numbers(&saved, "probability");
    browser.open("slider.html", &selection_page(&saved, None).unwrap());
    assert_eq!(browser.text("#count"), format!("{} of 400 chosen", saved.n_selected));
    assert_eq!(browser.text("#shown"), "1–50 of 400 features");
    browser.set("#rule", "1", "change");
    let exact = p[3].to_string(); // a feature at the threshold is not above it
    for (input, threshold) in [("slider", "0.9"), ("slider", "0.05"), ("exact", exact.as_str()), ("slider", "1")] {
        browser.set(&format!("#{input}"), threshold, "input");
        let chosen: Vec<usize> = (0..400).filter(|&i| p[i] > threshold.parse().unwrap()).collect();
        assert_eq!(browser.text("#count"), format!("{} of 400 chosen", chosen.len()), "{threshold}");
        let wrong: f64 = chosen.iter().map(|&i| 1.0 - p[i]).sum();
        let told = browser.text("#expected");
        let said = told.split(": ").nth(1).unwrap().split(' ').next().unwrap();
        assert!((said.parse::<f64>().unwrap() - wrong).abs() < 0.051, "{told}, {wrong}");
        browser.value("document.querySelector('#only').click()");
        let shown = browser.text("#shown");
        let all = if chosen.is_empty() { "No feature matches".into() } else { format!("of {} feature", chosen.len()) };
        assert!(shown.contains(&all), "{shown}, {all}");
        browser.value("document.querySelector('#only').click()");
    }
    browser.set("#rule", "0", "change");
    browser.set("#exact", "0.2", "input");
    let by_rate = numbers(&saved, "q_value").into_iter().filter(|q| *q <= 0.2).count();
    assert_eq!(browser.text("#count"), format!("{by_rate} of 400 chosen"));
    browser.value("document.querySelector('#own').click()");
    assert_eq!(browser.text("#count"), format!("{} of 400 chosen", saved.n_selected));
    browser.set("#search", "F39", "input");
    assert_eq!(browser.text("#shown"), "1–11 of 11 features"); // f39 and f390 to f399
    browser.set("#search", "", "input");
    let first = "document.querySelector('#table tbody th').textContent";
    browser.value("document.querySelector('button[data-key=score]').click()");
    let scores = numbers(&saved, "score");
    let best = (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap();
    assert_eq!(browser.value(first), saved.features.names[best].as_str());
    assert_eq!(browser.value("document.querySelectorAll('th[aria-sort=descending]').length"), 1);
    assert_eq!(browser.pictures(), 4);
    browser.assert_quiet("slider.html");
}

fn names_stay_text(browser: &mut Browser) {
    let saved = hostile();
    browser.open("hostile.html", &selection_page(&saved, None).unwrap());
    assert_eq!(browser.value("typeof window.hacked"), "undefined");
    assert_eq!(browser.value("document.querySelectorAll('script').length"), 2);
    assert_eq!(browser.value("document.querySelectorAll('img, iframe, b').length"), 0);
    let shown = browser.value("[...document.querySelectorAll('#table tbody th')].map((e) => e.title)");
    let shown: Vec<&str> = shown.as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
    let is_plain = |name: &&String| !name.contains(|c: char| c.is_control() || c == '\u{202e}');
    for name in saved.features.names.iter().filter(is_plain) {
        assert!(shown.contains(&name.as_str()), "{name}");
    }
    click_through(browser, &saved);
    // what is saved is read by spreadsheets
    browser.set("#rule", "1", "change"); // the probability
    browser.set("#exact", "0", "input");
    let told = browser.value(
        "(async () => { let text; const make = URL.createObjectURL; URL.createObjectURL = (b) => { text = b.text(); \
         return 'data:,'; }; document.querySelector('#save').click(); URL.createObjectURL = make; return text; })()",
    );
    let told = told.as_str().unwrap();
    assert!(told.starts_with("feature\r\n") && told.contains("\"'=1+1\""), "{told}");
    for line in told.lines() {
        let bare = line.trim_start_matches('"').trim_start();
        assert!(!bare.starts_with(['=', '+', '-', '@']), "{line}");
    }
    let table = browser.value(
        "(async () => { let text; const make = URL.createObjectURL; URL.createObjectURL = (b) => { text = b.text(); \
         return 'data:,'; }; document.querySelector('#save-table').click(); URL.createObjectURL = make; return text; })()",
    );
    let table = table.as_str().unwrap();
    assert!(table.starts_with("chosen,rank,feature,score"), "{table}");
    assert!(table.contains("\"'=1+1\"") && table.lines().count() >= saved.features.len(), "{table}");
    browser.assert_quiet("hostile.html");
}

/// Clicks every name, head and button, searches every name and points at every picture: no name becomes markup or code.
fn click_through(browser: &mut Browser, saved: &SelectionResult) {
    for name in saved.features.names.iter() {
        browser.set("#search", name, "input");
        browser.value("document.querySelectorAll('#table tbody th').forEach((e) => e.click())");
    }
    browser.set("#search", "", "input");
    let buttons = "[...document.querySelectorAll('#table thead th, #table thead button, button')]";
    browser.value("URL.createObjectURL = () => 'data:,'; navigator.clipboard && (navigator.clipboard.writeText = async () => {});");
    let count = browser.value(&format!("{buttons}.length")).as_u64().unwrap();
    assert!(count > 5, "{count} buttons");
    for at in 0..count {
        browser.value(&format!("{buttons}[{at}]?.click()"));
    }
    for at in 0..browser.value("document.querySelectorAll('figure .u-over').length").as_u64().unwrap() {
        browser.value(&format!(
            "(() => {{ const e = document.querySelectorAll('figure .u-over')[{at}]; const r = e.getBoundingClientRect(); \
             for (let i = 0; i < 20; i++) e.dispatchEvent(new MouseEvent('mousemove', {{ bubbles: true, \
             clientX: r.left + r.width * (i + 0.5) / 20, clientY: r.top + r.height / 2 }})); }})()"
        ));
    }
    assert_eq!(browser.value("typeof window.hacked"), "undefined");
    assert_eq!(browser.value("document.querySelectorAll('img, iframe, b, a[href^=javascript]').length"), 0);
    assert_eq!(browser.value("document.querySelectorAll('[onmouseover], [onfocus], [onload], [onerror]').length"), 0);
}

fn twenty_thousand_features_are_usable(browser: &mut Browser) {
    let page = selection_page(&scores(20_000, 200), None).unwrap();
    assert!(page.len() < 6_000_000, "{}", page.len());
    let took = browser.open("wide.html", &page);
    eprintln!("20,000 features: {} KB, drawn in {} ms", page.len() / 1000, took.as_millis());
    assert_eq!(browser.text("#shown"), "1–50 of 20000 features");
    browser.set("#search", "f1999", "input");
    assert_eq!(browser.text("#shown"), "1–11 of 11 features");
    browser.set("#slider", "0.2", "input");
    browser.assert_quiet("wide.html");
}

fn every_kind_of_result_is_drawn(browser: &mut Browser) {
    for (name, text, pictures) in crate::common::kinds() {
        let file = format!("{name}.html");
        browser.open(&file, &page(text.as_bytes(), &name).unwrap());
        assert_eq!(browser.pictures(), pictures, "{name}");
        browser.width(360);
        assert_eq!(browser.pictures(), pictures, "{name} on a phone");
        browser.width(1200);
        browser.assert_quiet(&file);
    }
    browser.open("evaluate.html", &page(evaluation().to_string().as_bytes(), "e.json").unwrap());
    assert_eq!(browser.value("document.querySelectorAll('figure').length"), 8);
    assert_eq!(browser.pictures(), 4);
    browser.assert_quiet("evaluate.html");
}

/// Opens a page with values; `pictures` are those beside the scores and the fit.
fn open_values(browser: &mut Browser, name: &str, (saved, values): &(SelectionResult, SampleValues), pictures: u64) {
    let file = format!("{name}.html");
    browser.width(1200);
    browser.open(&file, &selection_page(saved, Some(values)).unwrap());
    assert_eq!(browser.text("#one h3"), saved.features.names[values.features[0].index]);
    let before = browser.pictures();
    assert_eq!(browser.value("document.querySelectorAll('#closer canvas').length"), pictures, "{name}");
    browser.width(360);
    assert_eq!(browser.pictures(), before, "{name} on a phone");
    browser.width(1200);
    browser.assert_quiet(&file);
}

fn the_values_of_a_picked_feature_are_drawn(browser: &mut Browser) {
    open_values(browser, "numbers", &of_numbers(), 2);
    let found = of_classes(["case", "control"], &[]);
    open_values(browser, "classes", &found, 2);
    let (saved, values) = &found;
    let name = |at: usize| saved.features.names[values.features[at].index].clone();
    // by the list, and by the table
    browser.set("#feature", "1", "change");
    assert_eq!(browser.text("#one h3"), name(1));
    browser.value("document.querySelectorAll('#table tbody th')[2].click()");
    assert_eq!(browser.text("#one h3"), name(2));
    assert_eq!(browser.value("document.querySelector('#feature').value"), "2");
    assert_eq!(browser.value("document.querySelectorAll('#one canvas').length"), 1);
    // by a click in the volcano plot
    browser.value("document.querySelector('#closer figure').scrollIntoView({ block: 'center' })");
    // those that differ stand on the right
    let places = (0..25).rev().flat_map(|i| (0..16).map(move |j| ((i as f64 + 0.5) / 25.0, (j as f64 + 0.5) / 16.0)));
    let hit = places.into_iter().find_map(|(x, y)| {
        let lines = browser.point("#closer figure", x, y);
        let found = lines.first().filter(|line| **line == name(0) || **line == name(1))?.clone();
        Some((x, y, found))
    });
    let (x, y, picked) = hit.expect("a point in the volcano plot");
    browser.pointer("mousePressed", "#closer figure", x, y);
    browser.pointer("mouseReleased", "#closer figure", x, y);
    assert_eq!(browser.text("#one h3"), picked);
    assert_eq!(browser.value("document.querySelector('#search').value"), picked.as_str());
    // a feature without values leaves the picture as it is
    browser.set("#search", "f19", "input");
    browser.value("document.querySelector('#table tbody th').click()");
    assert!(browser.text("#one .hint").contains("does not hold the values of f19"));
    assert_eq!(browser.text("#one h3"), picked);
    browser.assert_quiet("classes.html");
}

fn curves_of_survival_are_read_off_as_they_were_computed(browser: &mut Browser) {
    let (saved, values) = of_survival();
    let Target::Survival { times, events, .. } = &values.target else { panic!("no times") };
    let halves = MedianHalves::of(&values.features[0].values, times, events).unwrap();
    open_values(browser, "survival", &(saved, values.clone()), 2);
    let risk = browser.value(
        "[...document.querySelectorAll('.risk tr')].map((r) => [...r.cells].slice(1).map((c) => +c.textContent))",
    );
    for (at, time) in risk[0].as_array().unwrap().iter().enumerate() {
        for (row, half) in [(1, &halves.low), (2, &halves.high)] {
            assert_eq!(risk[row][at], half.at_risk(time.as_f64().unwrap()), "{risk}");
        }
    }
    browser.value("document.querySelector('#one figure').scrollIntoView({ block: 'center' })");
    for across in [0.05, 0.2, 0.45] {
        let lines = browser.point("#one figure", across, 0.5);
        let number = |at: usize| lines[at].rsplit(' ').next().unwrap().parse::<f64>();
        let time = number(0).unwrap();
        for (line, half) in [(1, &halves.low), (2, &halves.high)] {
            let survived = half.steps.iter().take_while(|step| step.0 <= time).last().map_or(1.0, |step| step.1);
            let expected = if time <= *half.times.last().unwrap() { format!("{survived:.3}") } else { "–".into() };
            assert!(lines[line].ends_with(&expected), "{lines:?} {expected}");
        }
    }
    let words = browser.text("#one .words");
    assert!(words.starts_with("Log hazard ratio ") && words.contains(" to "), "{words}");
    browser.assert_quiet("survival.html");
}

fn classes_with_hostile_names_stay_text(browser: &mut Browser) {
    let labels = ["</script><script>window.hacked = 1</script>", "<img src=x onerror='window.hacked = 1'>"];
    let (saved, values) = of_classes(labels, &["<b>bold</b>", "__proto__", "right\u{202e}left", ""]);
    let page = selection_page(&saved, Some(&values)).unwrap();
    browser.open("hostile-classes.html", &page);
    for at in 0..values.features.len() {
        browser.set("#feature", &at.to_string(), "change");
        browser.point("#one figure", 0.3, 0.5);
        let shown = browser.text("#one h3");
        let name = saved.features.names[values.features[at].index].replace('\u{202e}', "\u{fffd}");
        assert_eq!(shown, name);
    }
    assert_eq!(browser.value("typeof window.hacked"), "undefined");
    assert_eq!(browser.value("document.querySelectorAll('img, iframe, b').length"), 0);
    browser.assert_quiet("hostile-classes.html");
}
