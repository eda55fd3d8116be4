//! The names that the command line has for options and commands.

use tamis::front::{Command, OptionName, Voice, is_hidden};

/// Speaks as the program's users type.
pub struct Program;

impl Voice for Program {
    fn option(&self, name: &OptionName, value: Option<&str>) -> String {
        let typed = match (name, value) {
            (OptionName::Parameter(key), Some(value)) => return format!("--set {key}={value}"),
            (OptionName::Parameter(key), None) => return key.to_string(),
            (name, _) => format!("--{}", name.stem().replace('_', "-")),
        };
        value.map_or_else(|| typed.clone(), |value| format!("{typed} {}", quoted(value)))
    }

    fn command(&self, command: Command) -> String {
        match command {
            Command::Select => "tamis select",
            Command::Shrink => "tamis shrink",
            Command::Fit => "tamis fit",
            Command::Evaluate => "tamis evaluate --json",
            Command::Partial => "tamis partial",
            Command::Profile => "tamis profile",
            Command::NpfsDecide => "tamis npfs-decide",
            Command::Save => "--json",
            _ => "tamis",
        }
        .into()
    }
}

/// A value as a shell takes it, in a form that can be seen.
pub fn quoted(value: &str) -> String {
    if value.chars().any(is_hidden) {
        return format!("$'{}'", value.chars().map(in_ansi_c_quotes).collect::<String>());
    }
    let plain = |c: char| c.is_alphanumeric() || "-_./,:+@%".contains(c);
    if !value.is_empty() && value.chars().all(plain) {
        value.into()
    } else {
        format!("'{}'", value.replace('\'', "'\\''"))
    }
}

/// A character between the quotes `$'…'` of bash and zsh.
fn in_ansi_c_quotes(c: char) -> String {
    match c {
        '\'' | '\\' => format!("\\{c}"),
        c if is_hidden(c) && c.is_ascii() => format!("\\x{:02x}", u32::from(c)),
        c if is_hidden(c) && u32::from(c) <= 0xffff => format!("\\u{:04x}", u32::from(c)),
        c if is_hidden(c) => format!("\\U{:08x}", u32::from(c)),
        c => c.into(),
    }
}
