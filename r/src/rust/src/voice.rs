//! The names that R has for options and commands.

use tamis::front::{Command, OptionName, Voice};

/// Speaks as users of R type.
pub struct RVoice;

impl Voice for RVoice {
    fn option(&self, name: &OptionName, value: Option<&str>) -> String {
        if let OptionName::NoSecondLook = name {
            return "second_look = FALSE".into();
        }
        if let OptionName::NoNeeded = name {
            return "needed = FALSE".into();
        }
        if let (OptionName::Method, Some("needed")) = (name, value) {
            return "tamis_needed()".into();
        }
        if let (OptionName::Drop | OptionName::Id, Some(column)) = (name, value) {
            return format!("x[, colnames(x) != {}]", literal(column));
        }
        let ours = match name {
            OptionName::Target => "y",
            OptionName::Weight => "weights",
            OptionName::Covariate => "covariates",
            OptionName::Block => "blocks",
            OptionName::Group => "groups",
            OptionName::Column => "z",
            OptionName::PValue => "p",
            OptionName::Missing => "NA",
            OptionName::Drop | OptionName::Id | OptionName::Transpose => "x",
            other => other.stem(),
        };
        value.map_or_else(|| ours.into(), |value| format!("{ours} = {}", literal(value)))
    }

    fn command(&self, command: Command) -> String {
        match command {
            Command::Select => "tamis()",
            Command::Shrink => "shrink()",
            Command::Fit => "classifier()",
            Command::Evaluate => "evaluate()",
            Command::Save => "write_result()",
            // not functions of the package, but commands of the program
            Command::Partial => "tamis partial",
            Command::Profile => "tamis profile",
            Command::NpfsDecide => "tamis npfs-decide",
            _ => "tamis()",
        }
        .into()
    }
}

/// A value as it is written in R: numbers, TRUE, FALSE, and text in quotation marks.
fn literal(value: &str) -> String {
    match value {
        "true" => "TRUE".into(),
        "false" => "FALSE".into(),
        number if number.parse::<f64>().is_ok_and(f64::is_finite) => number.into(),
        text => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
    }
}
