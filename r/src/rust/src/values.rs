//! Lists of R as JSON values, and the other way round.

use extendr_api::prelude::*;
use serde_json::{Map, Number, Value};

/// A vector, list or `NULL` of R as JSON: names make an object, one element a single value, `NA` null.
pub fn of_r(object: &Robj) -> Value {
    if object.is_null() {
        return Value::Null;
    }
    if let Some(list) = object.as_list() {
        let named = object.names().is_some();
        return match named {
            true => Value::Object(list.iter().map(|(name, value)| (name.to_string(), of_r(&value))).collect()),
            false => Value::Array(list.values().map(|value| of_r(&value)).collect()),
        };
    }
    let values: Vec<Value> = if let Some(numbers) = object.as_real_slice() {
        numbers.iter().map(|x| number(*x)).collect()
    } else if let Some(numbers) = object.as_integer_slice() {
        numbers.iter().map(|x| if *x == i32::MIN { Value::Null } else { (*x).into() }).collect()
    } else if let Some(flags) = object.as_logical_slice() {
        flags.iter().map(|x| if x.is_na() { Value::Null } else { x.is_true().into() }).collect()
    } else if let Some(texts) = texts(object) {
        texts.into_iter().map(|text| text.map_or(Value::Null, Value::from)).collect()
    } else {
        vec![]
    };
    match <[Value; 1]>::try_from(values) {
        Ok([one]) => one,
        Err(many) => Value::Array(many),
    }
}

/// The texts of a character vector; `None` where it is `NA`.
pub fn texts(object: &Robj) -> Option<Vec<Option<String>>> {
    let strings = Strings::try_from(object).ok()?;
    Some(strings.iter().map(|text| (!text.is_na()).then(|| text.as_ref().to_string())).collect())
}

/// Whole numbers as such: R has `10` where a count is meant.
fn number(x: f64) -> Value {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    match x.trunc() == x && x.abs() < LARGEST {
        true => (x as i64).into(),
        false => Number::from_f64(x).map_or(Value::Null, Value::Number),
    }
}

/// JSON as R has it: arrays of one kind are vectors with `NA` for null, others lists; objects are named lists.
pub fn to_r(value: &Value) -> Robj {
    match value {
        Value::Null => ().into(),
        Value::Bool(flag) => (*flag).into(),
        Value::Number(_) | Value::String(_) => vector(std::slice::from_ref(value)),
        Value::Array(values) => vector(values),
        Value::Object(map) => object(map),
    }
}

/// A named list.
pub fn object(map: &Map<String, Value>) -> Robj {
    if map.is_empty() {
        return List::new(0).into();
    }
    List::from_pairs(map.iter().map(|(name, value)| (name.as_str(), to_r(value))).collect::<Vec<_>>()).into()
}

fn vector(values: &[Value]) -> Robj {
    let all = |is: fn(&Value) -> bool| values.iter().all(|value| value.is_null() || is(value));
    if values.iter().all(Value::is_null) {
        return List::from_values(values.iter().map(to_r).collect::<Vec<_>>()).into();
    }
    if all(is_small_whole) {
        let one = |value: &Value| value.as_i64().map_or(Rint::na(), |x| Rint::from(x as i32));
        return values.iter().map(one).collect::<Integers>().into();
    }
    if all(Value::is_number) {
        let one = |value: &Value| value.as_f64().map_or(Rfloat::na(), Rfloat::from);
        return values.iter().map(one).collect::<Doubles>().into();
    }
    if all(Value::is_string) {
        let one = |value: &Value| value.as_str().map_or(Rstr::na(), Rstr::from);
        return values.iter().map(one).collect::<Strings>().into();
    }
    if all(Value::is_boolean) {
        let one = |value: &Value| value.as_bool().map_or(Rbool::na_value(), Rbool::from);
        return values.iter().map(one).collect::<Logicals>().into();
    }
    List::from_values(values.iter().map(to_r).collect::<Vec<_>>()).into()
}

fn is_small_whole(value: &Value) -> bool {
    value.as_i64().is_some_and(|x| i32::try_from(x).is_ok_and(|x| x != i32::MIN))
}
