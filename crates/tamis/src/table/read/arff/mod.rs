//! Weka's attribute-relation text: declared attributes, then dense or sparse rows.
//!
//! Numbers (`numeric`, `real`, `integer`), categories (`{a, b}`, however many) and text (`string`) are read. In a
//! sparse row an absent number is 0 and an absent category the first declared.

mod header;
mod rows;

use crate::base::error::Place;
use crate::base::{Error, Progress, Result};
use crate::table::read::column_roles::{TypedColumns, assemble, assign};
use crate::table::read::lines::Lines;
use crate::table::read::number;
use crate::table::{Input, ReadOptions, Table, Task};
use header::{AttributeKind, header};
use rows::ArffRowParser;

pub(crate) fn read_table(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<Table> {
    let mut lines = Lines::open(input, options.expansion)?;
    let place = Place::file(lines.name());
    let attributes = header(&mut lines, &place, progress)?;
    let names: Vec<String> = attributes.iter().map(|a| a.name.clone()).collect();
    let roles = assign(&names, options, &place)?;
    let mut rows = ArffRowParser::new(&attributes, &roles, options, &place)?;
    while let Some(line) = lines.next(progress)? {
        let line = line.trim_ascii();
        if !line.is_empty() && line[0] != b'%' {
            rows.push(line)?;
        }
    }
    if rows.count == 0 {
        return Err(Error::data(place, "there is no row below `@data`", "add data"));
    }
    let columns = rows.finish();
    let declared: Vec<bool> = attributes.iter().map(|a| matches!(a.kind, AttributeKind::Nominal { .. })).collect();
    let mut options = options.clone();
    // a nominal target is classes, even if its values look like numbers that would be taken as a number
    let numbers = |values: &[String]| values.iter().all(|v| number::whole(v.as_bytes()).is_some());
    let target = attributes.iter().find(|a| a.name == options.target).map(|a| &a.kind);
    if let (None, Some(AttributeKind::Nominal { values, .. })) = (options.task, target)
        && numbers(values)
    {
        options.task = Some(Task::Classes);
    }
    assemble(TypedColumns { names, columns, declared, finite: true, ..TypedColumns::default() }, &options, &place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Context;
    use crate::table::Column;
    use std::io;

    fn read_with(text: &str, options: &ReadOptions) -> Result<Table> {
        let input = Input::from_reader(io::Cursor::new(text.as_bytes().to_vec()), "a.arff");
        read_table(input, options, &mut Context::default())
    }

    fn read(text: &str) -> Result<Table> {
        read_with(text, &ReadOptions::target("class"))
    }

    const HEAD: &str = "% about\n@RELATION 'a relation'\n\n@Attribute 'the \\'x\\'' REAL\n@attribute y integer [0,9] \n\
                        @attribute\tcolour {red, 'deep blue',\"it's\", NA}\n@attribute class {no,yes}\n@DATA\n";

    fn texts(column: &Column) -> Vec<String> {
        (0..column.len()).map(|row| column.text(row)).collect()
    }

    #[test]
    fn dense_and_sparse_rows() {
        let rows = "1.5, 2,red,no\n% between\n?,-1e3,'deep blue',yes % behind\n\n{1 7, 3 yes}\n{}\n{ 2 'it\\'s' }\n\
                    0,0,NA,?\n-0,0,?,yes\n";
        let table = read(&format!("{HEAD}{rows}")).expect("reads");
        assert_eq!(**table.names(), ["the 'x'", "y", "colour"]);
        assert_eq!(texts(&table.columns()[0]), ["1.5", "", "0", "0", "0", "0", "-0"]);
        assert_eq!(texts(&table.columns()[1]), ["2", "-1000", "7", "0", "0", "0", "0"]);
        assert_eq!(texts(&table.columns()[2]), ["red", "deep blue", "red", "red", "it's", "NA", ""]);
        let classes: Vec<String> = (0..7).map(|row| table.target().text(row)).collect();
        assert_eq!(classes, ["no", "yes", "yes", "no", "no", "", "yes"]);
    }

    #[test]
    fn every_fault_says_where_it_is() {
        let cases = [
            ("x,1,red,no", "row 2, column `the 'x'`: `x` is not a number"),
            ("1,inf,red,no", "row 2, column `y`: `inf` is infinite"),
            ("1,1,green,no", "row 2, column `colour`: the value `green` is not declared"),
            ("1,1,red", "row 2: the row has 3 values for 4 attributes"),
            ("1,1,red,no,1", "row 2: the row has more than 4 values"),
            ("1,1,red,no, {5}", "row 2: the row has a weight"),
            ("{1 1}, {5}", "row 2: the row has a weight"),
            ("{1 1} x", "row 2: there is text behind"),
            ("{4 1}", "row 2: there is no attribute 4"),
            ("{1 1, 1 2}", "row 2: the index 1 does not ascend"),
            ("{x 1}", "row 2: a sparse row needs"),
            ("{1}", "row 2: a sparse row needs"),
            ("{1 1", "row 2: a brace is not closed"),
            ("1,1,'red,no", "row 2: a quote is not closed"),
            ("1,1,'red'x,no", "row 2: there is text behind a closing quote"),
        ];
        for (row, says) in cases {
            let error = read(&format!("{HEAD}1,1,red,no\n{row}\n")).expect_err(row).to_string().replace("\\'", "'");
            assert!(error.starts_with("`a.arff`, ") && error.contains(says), "{row}: {error}");
        }
        let heads = [
            ("@attribute x\n", "line 1: an attribute needs a name and a type"),
            ("\n@attribute x {a,b\n", "line 2: a brace is not closed"),
            ("@attribute 'x numeric\n", "line 1: a quote is not closed"),
            ("@attribute x {a,a}\n", "line 1: the value `a` is declared twice"),
            ("@attribute x relational\n", "line 1: attribute `x` has the type `relational`"),
            ("a,b\n1,2\n", "line 1: `a,b` is no declaration"),
            ("@data\n", "no `@attribute`"),
            ("@attribute x real\n", "no `@data`"),
            ("@attribute class real\n@data\n", "no row below"),
        ];
        for (text, says) in heads {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains("`a.arff`") && error.contains(says), "{text}: {error}");
        }
        let error = read_with(&format!("{HEAD}1,1,red,no\n"), &ReadOptions::target("")).expect_err("no target");
        assert!(error.to_string().contains("say which column to explain with `ReadOptions::target`"), "{error}");
    }

    #[test]
    fn dates_are_refused_unless_left_out() {
        let text = "@attribute when date 'yyyy-MM-dd'\n@attribute x real\n@attribute class {a,b}\n@data\n\
                    '2001-01-01',1,a\n?,2,b\n'2003-01-01',3,a\n'2004-01-01',4,b\n";
        let error = read(text).expect_err("dates").to_string();
        assert!(error.contains("column `when`") && error.contains("ReadOptions::drop = when"), "{error}");
        let mut options = ReadOptions::target("class");
        options.drop.push("when".into());
        assert_eq!(**read_with(text, &options).expect("reads").names(), ["x"]);
    }

    #[test]
    fn declared_categories_may_be_many_but_text_may_not() {
        let values: Vec<String> = (0..100).map(|i| format!("v{i}")).collect();
        let rows: String = values.iter().enumerate().map(|(i, v)| format!("{v},{}\n", i % 2)).collect();
        let table = |kind: &str| read(&format!("@attribute x {kind}\n@attribute class {{0,1}}\n@data\n{rows}"));
        let many = table(&format!("{{{}}}", values.join(","))).expect("reads");
        let Column::Categories(c) = &many.columns()[0] else { panic!("categories") };
        assert_eq!(c.labels().len(), 100);
        let error = table("string").expect_err("text").to_string();
        assert!(error.contains("column `x`") && error.contains("more than 64"), "{error}");
    }

    #[test]
    fn a_nominal_target_is_classes_even_if_it_looks_like_a_number() {
        let text =
            "@attribute x real\n@attribute class {1.5,2.5,3.5}\n@data\n1,1.5\n2,2.5\n3,3.5\n4,1.5\n5,2.5\n6,3.5\n";
        assert_eq!(read(text).expect("reads").target().n_classes(), Some(3));
    }
}
