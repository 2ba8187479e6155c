//! `tidegate top`: quotas, workloads and nodes, live.

mod model;
mod view;

use crate::client::Client;
use crate::client::events::News;
use crate::clock;
use crate::exit::{Exit, Failure, Outcome, print};
use clap::Args;
use model::Model;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::{DefaultTerminal, Terminal};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use view::{Place, draw};

pub(crate) const EXAMPLES: &str = "Examples:
  tidegate top
  tidegate top --once | less             one frame as text

Keys: tab or left/right choose a part, up/down scroll, q ends.";

/// Looked at again after this time, whatever a watch says: ages move on.
const REFRESH: Duration = Duration::from_secs(2);
/// Changes come in flocks: no more than a few frames a second.
const GATHER: Duration = Duration::from_millis(250);
/// How soon a key is answered.
const KEYS: Duration = Duration::from_millis(100);
/// The frame of `--once` where no terminal says how large it is.
const PAGE: (u16, u16) = (120, 50);

#[derive(Args, Debug)]
pub(crate) struct Top {
    /// Print one frame as text and end
    #[arg(long)]
    once: bool,
}

impl Top {
    pub(crate) fn run(self, client: Client) -> Outcome {
        if self.once || !std::io::stdout().is_terminal() {
            return once(&Model::read(&client)?);
        }
        let client = Arc::new(client);
        let first = Model::read(&client)?;
        let news = keep_reading(&client);
        let mut terminal = ratatui::try_init()
            .map_err(|error| Failure::new(Exit::Failure, format!("cannot use this terminal: {error}")))?;
        let outcome = live(&mut terminal, first, &news);
        ratatui::restore();
        outcome
    }
}

/// One frame, without the spaces at the ends of its lines.
fn once(model: &Model) -> Outcome {
    let size =
        |name: &str, other: u16| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(other);
    let (width, height) = (size("COLUMNS", PAGE.0).clamp(20, 400), size("LINES", PAGE.1).clamp(5, 400));
    let failed = |why: String| Failure::new(Exit::Failure, format!("cannot draw: {why}"));
    let mut terminal =
        Terminal::new(TestBackend::new(width, height)).map_err(|error| failed(error.to_string()))?;
    terminal
        .draw(|frame| draw(frame, model, None, &mut Place::default()))
        .map_err(|error| failed(error.to_string()))?;
    let buffer = terminal.backend().buffer();
    let line = |y: u16| {
        let row: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
        row.trim_end().to_string()
    };
    let text: Vec<String> = (0..height).map(line).collect();
    print(&format!("{}\n", text.join("\n").trim_end()))
}

/// What a reader tells: a new state, or why there is none.
type Read = Outcome<Model>;

/// Reads the state again and again, in threads that end with the process.
fn keep_reading(client: &Arc<Client>) -> Receiver<Read> {
    let (changed, changes) = channel();
    let (sender, receiver) = channel();
    let watching = Arc::clone(client);
    std::thread::spawn(move || watch(&watching, &changed));
    let reading = Arc::clone(client);
    std::thread::spawn(move || {
        loop {
            // A watch that ended leaves the clock.
            if changes.recv_timeout(REFRESH).is_ok() {
                clock::pause(GATHER);
                while changes.try_recv().is_ok() {}
            }
            if sender.send(Model::read(&reading)).is_err() {
                return;
            }
        }
    });
    receiver
}

fn watch(client: &Client, changed: &Sender<()>) {
    loop {
        let Ok(mut watch) = client.watch(Vec::new()) else {
            clock::pause(REFRESH);
            continue;
        };
        while let Ok(News::Event(_) | News::Missed) = watch.next() {
            if changed.send(()).is_err() {
                return;
            }
        }
    }
}

fn live(terminal: &mut DefaultTerminal, mut model: Model, news: &Receiver<Read>) -> Outcome {
    let failed = |error: std::io::Error| Failure::new(Exit::Failure, format!("the terminal failed: {error}"));
    let mut place = Place::default();
    let mut trouble: Option<String> = None;
    loop {
        terminal.draw(|frame| draw(frame, &model, trouble.as_deref(), &mut place)).map_err(failed)?;
        // Wait for a key or for news, whichever comes first; then draw once for all of them.
        loop {
            if event::poll(KEYS).map_err(failed)? {
                match event::read().map_err(failed)? {
                    Event::Key(key) if key.kind != KeyEventKind::Release => match pressed(key, &mut place) {
                        Pressed::End => return Ok(()),
                        Pressed::Moved => break,
                        Pressed::Nothing => {}
                    },
                    Event::Resize(..) => break,
                    _ => {}
                }
            }
            if let Some(read) = news.try_iter().last() {
                match read {
                    Ok(read) => (model, trouble) = (read, None),
                    Err(failure) => trouble = Some(failure.to_string()),
                }
                break;
            }
        }
    }
}

enum Pressed {
    End,
    Moved,
    Nothing,
}

fn pressed(key: KeyEvent, place: &mut Place) -> Pressed {
    match key.code {
        KeyCode::Char('q') | KeyCode::Esc => return Pressed::End,
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return Pressed::End,
        KeyCode::Tab | KeyCode::Right | KeyCode::Char('l') => place.next(),
        KeyCode::BackTab | KeyCode::Left | KeyCode::Char('h') => place.previous(),
        KeyCode::Down | KeyCode::Char('j') => place.scroll(1),
        KeyCode::Up | KeyCode::Char('k') => place.scroll(-1),
        KeyCode::PageDown | KeyCode::Char(' ') => place.scroll(10),
        KeyCode::PageUp => place.scroll(-10),
        KeyCode::Home => place.scroll(i32::MIN),
        _ => return Pressed::Nothing,
    }
    Pressed::Moved
}
