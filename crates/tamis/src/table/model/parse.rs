//! Formulas in R's notation.

use crate::base::{Error, OptionName, Result};
use std::collections::BTreeSet;

/// A linear model: terms, each a set of variables, and whether there is an intercept.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    text: String,
    pub(super) intercept: bool,
    /// In order of their first appearance.
    pub(super) variables: Vec<Variable>,
    /// By the number of their variables, then by appearance.
    pub(super) terms: Vec<Vec<usize>>,
}

/// A column of the study as it enters the model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Variable {
    /// The column.
    pub(super) column: String,
    /// The degrees of freedom of natural splines; `None` where it enters as it is.
    pub(super) spline: Option<usize>,
}

impl Variable {
    /// As names of terms and coefficients have it.
    pub(super) fn label(&self) -> String {
        match self.spline {
            None => self.column.clone(),
            Some(df) => format!("ns({}, {df})", self.column),
        }
    }
}

impl Formula {
    /// Understands `~ a + b`, `a:b`, `a*b`, `a/b`, `(…)^k`, `- t`, `0`, `1`, `ns(x, df)`. Names with other signs stand
    /// between backticks.
    ///
    /// # Errors
    ///
    /// A formula that cannot be understood, or has a left side.
    pub fn parse(text: &str) -> Result<Formula> {
        let refuse = |problem: String| Error::parameter(OptionName::Formula, text, problem);
        let right = match text.split_once('~') {
            Some((left, _)) if !left.trim().is_empty() => {
                return Err(refuse("nothing stands before `~`: the features are what is explained".into()));
            }
            Some((_, right)) => right,
            None => text,
        };
        let tokens = tokens(right).map_err(refuse)?;
        let mut parser = Parser { tokens, at: 0, variables: vec![] };
        let found = parser.sum().map_err(refuse)?;
        if let Some(token) = parser.peek() {
            return Err(refuse(format!("`{}` is not expected there", token.words())));
        }
        let mut terms: Vec<Vec<usize>> = found.terms.into_iter().map(|term| term.into_iter().collect()).collect();
        terms.retain(|term: &Vec<usize>| !term.is_empty());
        terms.sort_by_key(Vec::len);
        if terms.is_empty() {
            return Err(refuse("it has no term; write one such as `~ group + batch`".into()));
        }
        Ok(Formula { text: text.trim().into(), intercept: !found.no_intercept, variables: parser.variables, terms })
    }

    /// The formula as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The columns that it names, in order of their first appearance.
    pub fn variables(&self) -> Vec<&str> {
        let mut names: Vec<&str> = vec![];
        for variable in &self.variables {
            if !names.contains(&variable.column.as_str()) {
                names.push(&variable.column);
            }
        }
        names
    }

    /// The terms by name.
    pub fn term_names(&self) -> Vec<String> {
        (0..self.terms.len()).map(|at| self.term_name(at)).collect()
    }

    /// The name of a term: its variables, joined by colons.
    pub(super) fn term_name(&self, at: usize) -> String {
        let labels: Vec<String> = self.terms[at].iter().map(|&variable| self.variables[variable].label()).collect();
        labels.join(":")
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Name(String),
    Spline(String, usize),
    Number(usize),
    Sign(char),
}

impl Token {
    fn words(&self) -> String {
        match self {
            Token::Name(name) => name.clone(),
            Token::Spline(name, df) => format!("ns({name}, {df})"),
            Token::Number(number) => number.to_string(),
            Token::Sign(sign) => sign.to_string(),
        }
    }
}

/// The words and signs of a formula.
fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut found = vec![];
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if let Some(after) = rest.strip_prefix("%in%") {
            found.push(Token::Sign(':'));
            rest.len() - after.len()
        } else if first == '`' {
            let end = rest[1..].find('`').ok_or("a backtick is not closed")?;
            found.push(Token::Name(rest[1..=end].into()));
            end + 2
        } else if first.is_alphabetic() || "._".contains(first) {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || "._".contains(c))).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            match after.trim_start().strip_prefix('(') {
                None => {
                    found.push(Token::Name(name.into()));
                    end
                }
                Some(inside) if name == "ns" => {
                    let close = inside.find(')').ok_or("`ns(` is not closed")?;
                    found.push(spline(&inside[..close])?);
                    rest.len() - inside.len() + close + 1
                }
                Some(_) => {
                    return Err(format!("`{name}(` is unknown: only `ns(x, df)` is; transform the column first"));
                }
            }
        } else if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            found.push(Token::Number(rest[..end].parse().map_err(|_| format!("`{}` is too large", &rest[..end]))?));
            end
        } else if "+-*/:^()".contains(first) {
            found.push(Token::Sign(first));
            1
        } else {
            return Err(format!("`{first}` is not part of a formula; put names with such signs between backticks"));
        };
        rest = rest[length..].trim_start();
    }
    Ok(found)
}

/// What stands between the brackets of `ns(`.
fn spline(inside: &str) -> Result<Token, String> {
    let wrong = || format!("`ns({inside})` needs a column and degrees of freedom, such as `ns(age, 3)`");
    let (column, df) = inside.split_once(',').ok_or_else(wrong)?;
    let df = df.trim();
    let df = df.strip_prefix("df").map_or(df, |rest| rest.trim_start().trim_start_matches('=').trim_start());
    let df: usize = df.parse().ok().filter(|df| (1..=50).contains(df)).ok_or_else(wrong)?;
    Ok(Token::Spline(column.trim().trim_matches('`').into(), df))
}

type Term = BTreeSet<usize>;

/// Terms in order of their appearance, and whether the intercept was taken away.
#[derive(Default, Clone)]
struct Terms {
    terms: Vec<Term>,
    no_intercept: bool,
    /// A bare `0`.
    zero: bool,
}

impl Terms {
    fn of(term: Term) -> Terms {
        Terms { terms: vec![term], ..Terms::default() }
    }

    fn add(&mut self, term: Term) {
        if !self.terms.contains(&term) {
            self.terms.push(term);
        }
    }

    /// All terms of the one joined with all of the other.
    fn joined(&self, other: &Terms) -> Vec<Term> {
        self.terms.iter().flat_map(|a| other.terms.iter().map(move |b| a | b)).collect()
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    variables: Vec<Variable>,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn take_sign(&mut self, signs: &str) -> Option<char> {
        match self.peek() {
            Some(Token::Sign(sign)) if signs.contains(*sign) => {
                let sign = *sign;
                self.at += 1;
                Some(sign)
            }
            _ => None,
        }
    }

    fn variable(&mut self, column: String, spline: Option<usize>) -> Terms {
        let variable = Variable { column, spline };
        let at = self.variables.iter().position(|known| *known == variable).unwrap_or_else(|| {
            self.variables.push(variable);
            self.variables.len() - 1
        });
        Terms::of(Term::from([at]))
    }

    /// Terms with signs.
    fn sum(&mut self) -> Result<Terms, String> {
        let mut all = Terms::default();
        let mut adds = self.take_sign("+-") != Some('-');
        loop {
            let some = self.product()?;
            all.no_intercept |= some.no_intercept;
            if some.zero {
                all.no_intercept = adds;
            }
            for term in some.terms {
                match (adds, term.is_empty()) {
                    (true, true) => all.no_intercept = false,
                    (false, true) => all.no_intercept = true,
                    (true, false) => all.add(term),
                    (false, false) => all.terms.retain(|known| *known != term),
                }
            }
            match self.take_sign("+-") {
                Some(sign) => adds = sign == '+',
                None => return Ok(all),
            }
        }
    }

    /// `a*b` and `a/b`.
    fn product(&mut self) -> Result<Terms, String> {
        let mut left = self.interaction()?;
        while let Some(sign) = self.take_sign("*/") {
            let right = self.interaction()?;
            if sign == '*' {
                let joined = left.joined(&right);
                right.terms.into_iter().chain(joined).for_each(|term| left.add(term));
            } else {
                let all: Term = left.terms.iter().flatten().copied().collect();
                right.terms.iter().for_each(|term| left.add(&all | term));
            }
        }
        Ok(left)
    }

    /// `a:b`.
    fn interaction(&mut self) -> Result<Terms, String> {
        let mut left = self.power()?;
        while self.take_sign(":").is_some() {
            let right = self.power()?;
            let mut found = Terms::default();
            left.joined(&right).into_iter().for_each(|term| found.add(term));
            left = found;
        }
        Ok(left)
    }

    /// `(…)^k`.
    fn power(&mut self) -> Result<Terms, String> {
        let base = self.atom()?;
        let mut all = base.clone();
        if self.take_sign("^").is_some() {
            let Some(Token::Number(k @ 1..=10)) = self.peek().cloned() else {
                return Err("a number from 1 to 10 stands behind `^`".into());
            };
            self.at += 1;
            for _ in 1..k {
                all.joined(&base).into_iter().for_each(|term| all.add(term));
            }
        }
        Ok(all)
    }

    fn atom(&mut self) -> Result<Terms, String> {
        let token = self.peek().cloned();
        self.at += 1;
        match token {
            Some(Token::Name(name)) => Ok(self.variable(name, None)),
            Some(Token::Spline(name, df)) => Ok(self.variable(name, Some(df))),
            Some(Token::Number(1)) => Ok(Terms::of(Term::new())),
            Some(Token::Number(0)) => Ok(Terms { zero: true, ..Terms::default() }),
            Some(Token::Sign('(')) => {
                let inside = self.sum()?;
                match self.take_sign(")") {
                    Some(_) => Ok(inside),
                    None => Err("a bracket is not closed".into()),
                }
            }
            Some(token) => Err(format!("a column is expected before `{}`", token.words())),
            None => Err("a column is expected at its end".into()),
        }
    }
}
