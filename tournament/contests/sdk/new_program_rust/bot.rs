//! {name}: {manner}.
//!
//! Written by `tournament new`; make it yours. It reads decisions, a line of JSON each, and writes answers. Every match
//! starts it anew, and what it keeps in its variables lasts as long as the match.

use std::io::{stdin, BufRead};

/// The answer to a decision, as JSON; None if it only tells something.
fn answer(decision: &str, told: &str) -> Option<String> {
    match decision {
        // {functions}
        _ => None,
    }
}

/// The JSON text of a value that is told by name: a number, a text in its quotes, or a list in its brackets; "" for none.
/// Rust's own library has no JSON.
fn value<'a>(told: &'a str, key: &str) -> &'a str {
    let key = format!("\"{}\":", key);
    match told.find(&key) {
        Some(at) => first_of(&told[at + key.len()..]),
        None => "",
    }
}

/// The JSON text of the first value of several, up to a comma or a bracket that follows it.
fn first_of(values: &str) -> &str {
    let rest = values.trim_start();
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for (at, c) in rest.char_indices() {
        if escaped {
            escaped = false;
        } else if quoted {
            escaped = c == '\\';
            quoted = c != '"';
        } else {
            match c {
                '"' => quoted = true,
                '[' | '{' => depth += 1,
                ',' | '}' | ']' if depth == 0 => return rest[..at].trim_end(),
                ']' | '}' => depth -= 1,
                _ => (),
            }
        }
    }
    rest
}

/// The first value of a list.
#[allow(dead_code)]
fn first(told: &str, key: &str) -> Option<String> {
    value(told, key).strip_prefix('[').map(|list| first_of(list).to_string())
}

fn main() {
    let mut lines = stdin().lock().lines();
    let _sessions: u64 = lines.next().unwrap().unwrap().trim().parse().unwrap();
    for line in lines {
        let line = line.unwrap();
        if !line.starts_with('{') {
            break; // SCORE: the match is over
        }
        let decision = value(&line, "decision").trim_matches('"');
        if let Some(json) = answer(decision, &line) {
            println!("ACTION {}", json); // a line is written out at once
        }
    }
}
