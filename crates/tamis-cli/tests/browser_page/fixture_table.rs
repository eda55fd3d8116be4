//! Fixtures of the methods as files that the program and the page read.

use serde_json::Value;

/// A fixture as a table of named columns.
pub struct FixtureTable {
    columns: Vec<(String, Vec<Value>)>,
    commands: &'static [&'static str],
    options: String,
}

impl FixtureTable {
    /// None where the fixture holds no table.
    pub fn of(fixture: &Value) -> Option<FixtureTable> {
        let list = |key: &str| fixture.get(key).and_then(Value::as_array);
        let is_table = |rows: &&Vec<Value>| rows.first().is_some_and(Value::is_array);
        if let Some(z) = list("z").filter(|_| list("S").is_none()) {
            let columns = vec![("z".into(), z.clone())];
            return Some(FixtureTable { columns, commands: &["shrink --column=z"], options: String::new() });
        }
        let mut columns = vec![];
        let mut options = String::new();
        for (key, option) in [
            ("group", "--target"),
            ("y", "--target"),
            ("time", "--target"),
            ("event", "--event"),
            ("batch", "--covariate"),
            ("age", "--covariate"),
            ("block", "--block"),
        ] {
            if let Some(values) = list(key) {
                columns.push((key.into(), values.clone()));
                options.push_str(&format!(" {option}={key}"));
            }
        }
        let rows = columns.first()?.1.len();
        let (found, commands): (_, &[&str]) = match (list("x"), list("counts"), list("X")) {
            (Some(x), ..) => (x, &["select"]),
            (_, Some(counts), _) => (counts, &["select", "select --normalize=tmm"]),
            (.., Some(x)) => (x, &["select", "select --method=jmi --set=k=3", "select --method=dependence"]),
            _ => return None,
        };
        if !is_table(&found) {
            return None;
        }
        // features are lists, unless there is a list per row
        let by_rows = found.len() == rows;
        let n = if by_rows { found[0].as_array()?.len() } else { found.len() };
        let cell = |i: usize, j: usize| if by_rows { found[i][j].clone() } else { found[j][i].clone() };
        columns.extend((0..n).map(|j| (format!("g{j}"), (0..rows).map(|i| cell(i, j)).collect())));
        Some(FixtureTable { columns, commands, options })
    }

    pub fn commands(&self) -> impl Iterator<Item = String> {
        self.commands.iter().map(|command| format!("{command}{}", self.options))
    }

    pub fn text(&self) -> String {
        let cell = |value: &Value| if value.is_null() { "NA".into() } else { value.to_string().replace('"', "") };
        let rows = self.columns[0].1.len();
        let line = |cells: Vec<String>| cells.join(",") + "\n";
        let head = line(self.columns.iter().map(|(name, _)| name.clone()).collect());
        let row = |i: usize| line(self.columns.iter().map(|(_, values)| cell(&values[i])).collect());
        head + &(0..rows).map(row).collect::<String>()
    }
}
