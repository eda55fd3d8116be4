//! Features that count together: one-hot columns, groups and gene sets.

use crate::common::Place;

/// 60 rows: a city in three one-hot columns that goes with the class, a number that does, and noise.
fn table() -> String {
    let mut text = String::from("y,x,city_Rome,city_Oslo,city_New_York,n0,n1,n2,n3\n");
    for i in 0..60_usize {
        let class = i % 2;
        let city = if i % 10 < 8 { class } else { 2 };
        let noise = |k: usize| ((i * 37 + k * 101 + 3) as f64 * 0.618).sin();
        let one = |wanted: usize| u8::from(city == wanted);
        text += &format!("{},{:.4},{},{},{}", ["a", "b"][class], noise(0) + 2.0 * class as f64, one(0), one(1), one(2));
        text += &(1..5).map(|k| format!(",{:.4}", noise(k))).collect::<String>();
        text.push('\n');
    }
    text
}

#[test]
fn one_hot_columns_are_named_as_one_category() {
    let place = Place::new();
    place.write("t.csv", table());
    let run = place.run(&["select", "t.csv", "--target", "y", "--json", "r.json", "--reduced", "small.csv"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.err.contains("one-hot columns count and are named together, as a category: `city` (3 columns)"),
        "{run:?}"
    );
    let result = place.json("r.json");
    let features = result["features"].as_array().unwrap();
    assert_eq!(features.len(), 6);
    let city = features.iter().find(|f| f["name"] == "city").unwrap();
    assert_eq!((city["selected"].as_bool(), city["columns"].as_array().unwrap().len()), (Some(true), 3));
    assert_eq!(place.read("small.csv").lines().next(), Some("x,city_Rome,city_Oslo,city_New_York,y"));
    // the selection of a category is applied to its columns
    let again = place.run(&["select", "t.csv", "--result", "r.json", "--reduced", "again.csv"]);
    assert_eq!(again.status, 0, "{again:?}");
    assert_eq!(place.read("again.csv"), place.read("small.csv"));
}

#[test]
fn groups_and_gene_sets_are_counted() {
    let place = Place::new();
    place.write("t.csv", table());
    place.write("groups.csv", "feature,group\nx,signal\nn0,signal\nn1,noise\nn2,noise\n");
    place.write("sets.gmt", "SIGNAL\turl\tx\tn0\tunmeasured\nNOISE\turl\tn1\tn2\n");
    for file in ["groups.csv", "sets.gmt"] {
        let run = place.run(&["select", "t.csv", "--target", "y", "--feature-groups", file, "--json", "r.json"]);
        assert_eq!(run.status, 0, "{run:?}");
        assert!(run.out.contains("1 of 2 groups has named features"), "{run:?}");
        let result = place.json("r.json");
        let first = &result["feature_groups"][0];
        assert_eq!(first["name"].as_str().unwrap().to_lowercase(), "signal");
        assert_eq!((first["size"].as_u64(), first["selected"].as_u64()), (Some(2), Some(1)));
        assert_eq!(run.err.contains("1 gene of the gene sets"), file == "sets.gmt", "{run:?}");
        assert!(first["p_mixed"].as_f64().unwrap() < 0.05 && first["direction"] == "up", "{first}");
        assert_eq!(first["leading"][0], "x");
    }
    let sets = ["--feature-groups", "sets.gmt", "--groups-csv", "sets.csv", "--report", "r.html"];
    let run = place.run(&[&["select", "t.csv", "--target", "y"][..], &sets[..]].concat());
    assert!(run.status == 0 && run.out.contains("Competitive: do its features differ more"), "{run:?}");
    let table = place.read("sets.csv");
    let head = "name,size,selected,expected,tested,mean_score,mean_difference,p_direction,q_direction,p_mixed";
    assert!(table.starts_with(head) && table.lines().nth(1).is_some_and(|line| line.ends_with("up,x n0")), "{table}");
    assert!(place.read("r.html").contains("Groups of features"));
    place.write("wrong.csv", "x,signal\nnothing,signal\n");
    place.write("empty.gmt", "SIGNAL\turl\tx\nOTHER\turl\tunmeasured\n");
    for (file, method, said) in [
        ("wrong.csv", "snbl", "no feature `nothing`"),
        ("groups.csv", "mim", "only `--method snbl`"),
        ("empty.gmt", "snbl", "no gene of 1 gene set is in the table: `OTHER`"),
    ] {
        let run = place.run(&["select", "t.csv", "--target", "y", "--feature-groups", file, "--method", method]);
        assert_eq!(run.status, 2, "{run:?}");
        assert!(run.err.contains(said), "{run:?}");
    }
}

#[test]
fn tables_go_to_standard_output_and_to_parquet() {
    let place = Place::new();
    place.write("t.csv", table());
    let run = place.run(&["select", "t.csv", "--target", "y", "--reduced", "-", "--quiet"]);
    assert_eq!((run.status, run.out.lines().next()), (0, Some("x,city_Rome,city_Oslo,city_New_York,y")), "{run:?}");
    assert_eq!(run.out.lines().count(), 61);
    let both = place.run(&["select", "t.csv", "--target", "y", "--reduced", "-", "--csv", "-"]);
    assert!(both.status == 2 && both.err.contains("`--csv` goes there already"), "{both:?}");
    let run = place.run(&["select", "t.csv", "--target", "y", "--csv", "f.parquet"]);
    if run.status == 0 {
        // a table of numbers like any other: its ranks can be read back
        let back = place.run(&["describe", "f.parquet", "--target", "rank", "--id", "name", "--drop", "selected"]);
        assert!(back.status == 0 && back.out.contains("6 rows"), "{back:?}");
    } else {
        assert!(run.err.contains("Parquet"), "{run:?}");
    }
}
