//! What programs read: methods, schemas and errors as JSON.

use crate::common::{Place, small_table};
use serde_json::{Value, json};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn methods_as_data_have_the_parameters_that_the_page_shows() {
    let place = Place::new();
    let all = parsed(&place.run(&["methods", "--json"]).out);
    let methods = all["methods"].as_array().unwrap();
    let page = place.run(&["methods"]).out;
    for method in methods {
        let name = method["name"].as_str().unwrap();
        assert!(page.lines().any(|line| line.split_whitespace().next() == Some(name)), "{name}");
        assert!(method["selects"].is_boolean() && method["classifies"].is_boolean(), "{method}");
        let own = place.run(&["methods", name]).out;
        for parameter in method["parameters"].as_array().unwrap() {
            assert!(
                own.contains(parameter["name"].as_str().unwrap()) && !parameter["default"].is_null(),
                "{parameter}"
            );
            assert!(own.contains(parameter["range"].as_str().unwrap()), "{parameter}");
        }
        let alone = parsed(&place.run(&["methods", name, "--json"]).out);
        assert_eq!(alone["methods"], json!([method]));
    }
    let snbl = methods.iter().find(|method| method["name"] == "snbl").unwrap();
    let fdr = snbl["parameters"].as_array().unwrap().iter().find(|p| p["name"] == "fdr").unwrap();
    assert_eq!(fdr["default"], 0.1);
}

/// The first part of `value` that does not fit `schema`, with what is wrong. Fields of objects with `properties` must be
/// among these, so that a new field cannot be forgotten in the schema.
fn fault(schema: &Value, value: &Value, definitions: &Value, place: &str) -> Option<String> {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.strip_prefix("#/$defs/").unwrap();
        return fault(&definitions[name], value, definitions, place);
    }
    if let Some(options) = schema["anyOf"].as_array() {
        let faults: Vec<String> = options.iter().map_while(|option| fault(option, value, definitions, place)).collect();
        return (faults.len() == options.len()).then(|| faults.join(" or "));
    }
    if !schema["const"].is_null() && schema["const"] != *value {
        return Some(format!("{place}: {value} is not {}", schema["const"]));
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_u64() || n.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = |wanted: &Value| wanted == kind || (wanted == "number" && kind == "integer");
    let allowed = match &schema["type"] {
        Value::Array(several) => several.iter().any(fits),
        Value::Null => true,
        one => fits(one),
    };
    if !allowed {
        return Some(format!("{place}: {kind}, not {}", schema["type"]));
    }
    if let Some(items) = value.as_array() {
        let few = schema["minItems"].as_u64().is_some_and(|least| (items.len() as u64) < least);
        let many = schema["maxItems"].as_u64().is_some_and(|most| items.len() as u64 > most);
        if few || many {
            return Some(format!("{place}: {} items", items.len()));
        }
        let each = items.iter().enumerate();
        return each
            .filter_map(|(at, item)| fault(&schema["items"], item, definitions, &format!("{place}[{at}]")))
            .next();
    }
    let fields = value.as_object()?;
    let required = schema["required"].as_array().into_iter().flatten();
    if let Some(absent) = required.map(|name| name.as_str().unwrap()).find(|name| !fields.contains_key(*name)) {
        return Some(format!("{place}: no field `{absent}`"));
    }
    for (name, field) in fields {
        let inner = format!("{place}.{name}");
        let found = match (&schema["properties"][name], &schema["additionalProperties"]) {
            (Value::Null, Value::Null) if schema["properties"].is_null() || is_open(schema) => None,
            (Value::Null, Value::Null) => Some(format!("{inner}: a field that src/schema.json does not describe")),
            (Value::Null, others) => fault(others, field, definitions, &inner),
            (described, _) => fault(described, field, definitions, &inner),
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Objects whose fields belong to their kind: methods with their parameters, and classifiers.
fn is_open(schema: &Value) -> bool {
    let properties = schema["properties"].as_object().unwrap();
    properties.len() == 1 && (properties.contains_key("name") || properties.contains_key("kind"))
}

#[test]
fn files_fit_the_schema_of_their_kind_and_no_other() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    let stages: String = (0..30).map(|i| format!("{},{},{}\n", ["a", "b", "c"][i % 3], i * 7 % 11, i % 5)).collect();
    place.write("stages.csv", format!("stage,x,batch\n{stages}"));
    let scores: String = (0..200).map(|i| format!("{}\n", (f64::from(i) * 2.399).sin() * 1.9)).collect();
    place.write("z.csv", format!("z\n{scores}"));
    let mut written = vec![];
    let mut write = |kind: &'static str, name: &str, arguments: &[&str]| {
        let option = if kind == "model" { "--model" } else { "--json" };
        let run = place.run(&[arguments, &[option, name]].concat());
        assert_eq!(run.status, 0, "{run:?}");
        written.push((kind, place.json(name)));
    };
    write("result", "a.json", &["select", "in.csv", "--target", "label"]);
    write("result", "b.json", &["select", "stages.csv", "--target", "stage", "--covariate", "batch"]);
    write("result", "c.json", &["select", "in.csv", "--target", "label", "--method", "npfs", "--set", "bootstraps=20"]);
    write("result", "d.json", &["select", "in.csv", "--target", "a"]);
    write("result", "e.json", &["shrink", "z.csv"]);
    write(
        "result",
        "f.json",
        &["select", "in.csv", "--target", "label", "--method", "pairs", "--set", "permutations=5"],
    );
    write("evaluation", "g.json", &["evaluate", "in.csv", "--target", "label", "--folds", "3"]);
    write("model", "h.json", &["fit", "in.csv", "--target", "label", "--method", "f", "--set", "f.k=2"]);
    write("model", "i.json", &["fit", "in.csv", "--target", "label", "--method", "pfcvm-lp"]);
    for (kind, document) in &written {
        for other in ["result", "evaluation", "model"] {
            let schema = parsed(&place.run(&["schema", other]).out);
            let found = fault(&schema, document, &schema["$defs"], kind);
            assert_eq!(found.is_none(), *kind == other, "as {other}: {found:?}");
        }
    }
    let whole = parsed(&place.run(&["schema"]).out);
    assert_eq!(whole["oneOf"].as_array().unwrap().len(), 3);
    let unknown = place.run(&["schema", "results"]);
    assert!(unknown.status == 2 && unknown.err.contains("did you mean `result`?"), "{unknown:?}");
}

#[test]
fn files_of_the_first_version_fit_too() {
    let place = Place::new();
    for (kind, text) in [
        ("result", include_str!("v1/result.json")),
        ("result", include_str!("v1/npfs.json")),
        ("evaluation", include_str!("v1/evaluation.json")),
        ("model", include_str!("v1/model.json")),
        ("model", include_str!("v1/pipeline.json")),
    ] {
        let schema = parsed(&place.run(&["schema", kind]).out);
        assert_eq!(fault(&schema, &parsed(text), &schema["$defs"], kind), None);
    }
}

#[test]
fn errors_are_json_where_the_result_is() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    place.write("bad.csv", "a,label\n1,x\n2,y\nabc,x\n4,y\n");
    let refused = |arguments: &[&str]| {
        let run = place.run(arguments);
        assert_eq!(run.out, "", "{arguments:?}");
        let error = parsed(&run.err)["error"].clone();
        assert_eq!(error["status"], run.status, "{error}");
        error
    };
    let unknown = refused(&["select", "in.csv", "--target", "lable", "--json", "-"]);
    assert_eq!((&unknown["kind"], &unknown["name"]), (&json!("unknown"), &json!("lable")));
    assert!(unknown["known"].as_array().unwrap().contains(&json!("label")));
    let absent = refused(&["select", "absent.csv", "--target", "y", "--json=-"]);
    assert_eq!((&absent["kind"], &absent["file"]), (&json!("read"), &json!("absent.csv")));
    let data = refused(&["select", "bad.csv", "--target", "label", "--json", "-"]);
    assert_eq!((&data["kind"], &data["column"]), (&json!("data"), &json!("a")));
    assert!(data["remedy"].as_str().unwrap().contains("--"), "{data}");
    let usage = refused(&["select", "in.csv", "--tarket", "label", "--json", "-"]);
    assert_eq!((&usage["kind"], &usage["status"]), (&json!("usage"), &json!(2)));
    let likely = refused(&["select", "in.csv", "--json", "-"]);
    assert_eq!(likely["kind"], "no-target");
    assert_eq!(likely["columns"].as_array().map(Vec::len), Some(9), "{likely}");
    assert_eq!(likely["likely"][0], json!({ "name": "label", "classes": { "no": 12, "yes": 12 }, "range": null }));
    let words = place.run(&["select", "in.csv", "--target", "lable", "--json", "r.json"]);
    assert!(words.err.starts_with("error: there is no column"), "{}", words.err);
}

#[test]
fn results_and_reports_hold_the_name_of_the_file_and_its_path_on_request() {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    place.write("z.csv", (0..50).fold("gene,z\n".into(), |text: String, i| text + &format!("g{i},{}\n", (i % 11) - 5)));
    let folder = place.path("").display().to_string();
    let [table, scores] = ["in.csv", "z.csv"].map(|name| place.path(name).display().to_string());
    for (command, file) in [
        (vec!["select", &table, "--target", "label", "--report", "r.html"], &table),
        (vec!["shrink", &scores, "--column", "z", "--report", "r.html"], &scores),
    ] {
        for more in [&[][..], &["--provenance", "name"], &["--provenance", "full"]] {
            let run = place.run(&[&command[..], &["--json", "r.json"], more].concat());
            assert_eq!(run.status, 0, "{run:?}");
            let input = &place.json("r.json")["input"];
            let name = std::path::Path::new(file).file_name().unwrap().to_str().unwrap();
            assert_eq!(input["file"], name);
            let is_full = more.contains(&"full");
            assert_eq!(input["path"].as_str(), is_full.then_some(file.as_str()));
            let told = run.out.replace("r.json", "") + &run.err;
            assert!(!told.contains(&folder), "{told}");
            assert!(!place.read("r.html").contains(&folder), "{more:?}");
            assert_eq!(place.read("r.json").contains(&folder), is_full);
        }
    }
    let run = place.run(&["describe", &table, "--json", "d.json"]);
    assert!(run.status == 0 && !place.read("d.json").contains(&folder), "{run:?}");
}
