//! What is typed and not shown.

use crate::exit::{Exit, Failure, Outcome, note};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use std::io::Write;

/// The terminal hands over keys one by one and shows none. Ends with its owner, however that ends.
struct Unseen;

impl Unseen {
    fn begin() -> std::io::Result<Unseen> {
        enable_raw_mode().map(|()| Unseen)
    }
}

impl Drop for Unseen {
    fn drop(&mut self) {
        // If the terminal is gone there is nothing to mend.
        let _ = disable_raw_mode();
    }
}

/// Asks on the terminal for a line that is not shown while it is typed.
pub(crate) fn ask(prompt: &str) -> Outcome<String> {
    let failed = |error: std::io::Error| {
        Failure::new(Exit::Failure, format!("cannot read from the terminal: {error}"))
    };
    let _ = write!(std::io::stderr(), "{prompt}");
    let unseen = Unseen::begin().map_err(failed)?;
    let mut typed = String::new();
    let outcome = loop {
        let Event::Key(key) = event::read().map_err(failed)? else { continue };
        match press(key, &mut typed) {
            Pressed::More => {}
            Pressed::Done => break Ok(typed),
            Pressed::Given => break Err(Failure::new(Exit::Failure, "nothing was typed in")),
        }
    };
    drop(unseen);
    // The key that ended the line was not shown, either.
    note("");
    outcome
}

enum Pressed {
    More,
    Done,
    /// Whoever was asked gave up.
    Given,
}

fn press(key: KeyEvent, typed: &mut String) -> Pressed {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        _ if key.kind == KeyEventKind::Release => {}
        KeyCode::Enter => return Pressed::Done,
        KeyCode::Char('c' | 'd') if control => return Pressed::Given,
        KeyCode::Char('j' | 'm') if control => return Pressed::Done,
        KeyCode::Char('u') if control => typed.clear(),
        KeyCode::Backspace => _ = typed.pop(),
        KeyCode::Char(letter) if !control => typed.push(letter),
        _ => {}
    }
    Pressed::More
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_make_a_line() {
        let mut typed = String::new();
        let plain = |code| KeyEvent::new(code, KeyModifiers::NONE);
        for letter in "tokem".chars() {
            assert!(matches!(press(plain(KeyCode::Char(letter)), &mut typed), Pressed::More));
        }
        press(plain(KeyCode::Backspace), &mut typed);
        press(plain(KeyCode::Char('n')), &mut typed);
        assert_eq!(typed, "token");
        assert!(matches!(press(plain(KeyCode::Enter), &mut typed), Pressed::Done));
        let control = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert!(matches!(press(control, &mut typed), Pressed::Given));
    }
}
