//! A frame: as many parts as there is room for, the chosen one if there is room for one.

use super::model::{Model, marks, style};
use crate::output::style::Style;
use crate::quota::tree;
use crate::supply::node;
use crate::workload::show;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style as Paint};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph};
use tidegate_api::node::NodeState;
use tidegate_api::workload::Workload;

const PARTS: [&str; 3] = ["Quotas", "Workloads", "Nodes"];
/// Rows below which parts are shown one at a time.
const TALL: u16 = 24;

/// Where a reader is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    part: usize,
    scrolled: [u16; 3],
}

impl Place {
    pub(super) fn next(&mut self) {
        self.part = (self.part + 1) % PARTS.len();
    }

    pub(super) fn previous(&mut self) {
        self.part = (self.part + PARTS.len() - 1) % PARTS.len();
    }

    pub(super) fn scroll(&mut self, rows: i32) {
        let at = &mut self.scrolled[self.part];
        *at = i32::from(*at).saturating_add(rows).clamp(0, i32::from(u16::MAX)) as u16;
    }
}

fn paint(style: Style) -> Paint {
    let plain = Paint::default();
    match style {
        Style::Plain => plain,
        Style::Bold => plain.add_modifier(Modifier::BOLD),
        Style::Dim => plain.add_modifier(Modifier::DIM),
        Style::Good => plain.fg(Color::Green),
        Style::Waiting => plain.fg(Color::Yellow),
        Style::Bad => plain.fg(Color::Red),
    }
}

fn line(pieces: Vec<(String, Style)>) -> Line<'static> {
    pieces.into_iter().map(|(text, style)| Span::styled(text, paint(style))).collect::<Vec<_>>().into()
}

pub(super) fn draw(frame: &mut Frame<'_>, model: &Model, trouble: Option<&str>, place: &mut Place) {
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(1), Constraint::Min(0), Constraint::Length(1)])
            .areas(frame.area());
    let title = format!("tidegate {}  {}  {}", model.server, model.at, model.summary());
    frame.render_widget(Line::styled(title, paint(Style::Bold)), head);
    let keys = Line::styled("q quit  tab next part  arrows scroll", paint(Style::Dim));
    let foot_line =
        trouble.map_or(keys, |why| Line::styled(format!("not up to date: {why}"), paint(Style::Bad)));
    frame.render_widget(foot_line, foot);

    let contents = [quotas(model), workloads(model), nodes(model, body.width.saturating_sub(2))];
    if body.height < TALL {
        let part = place.part;
        panel(frame, body, part, contents[part].clone(), place);
        return;
    }
    let heights = shares(body.height, [0, 1, 2].map(|part: usize| contents[part].len() as u16 + 2));
    let areas: [Rect; 3] = Layout::vertical(heights.map(Constraint::Length)).areas(body);
    for (part, lines) in contents.into_iter().enumerate() {
        panel(frame, areas[part], part, lines, place);
    }
}

/// Rows for each part: what it needs, as far as there is enough; what is left goes to the workloads.
fn shares(height: u16, needs: [u16; 3]) -> [u16; 3] {
    let third = height / 3;
    let (quotas, nodes) = (needs[0].min(third), needs[2].min(third));
    [quotas, height - quotas - nodes, nodes]
}

fn panel(frame: &mut Frame<'_>, area: Rect, part: usize, lines: Vec<Line<'static>>, place: &mut Place) {
    // The last line stays in view.
    let most = (lines.len() as u16).saturating_sub(area.height.saturating_sub(2).max(1));
    place.scrolled[part] = place.scrolled[part].min(most);
    let chosen = if part == place.part { Style::Bold } else { Style::Plain };
    let more =
        if most > 0 { format!(" {}/{} ", place.scrolled[part] + 1, lines.len()) } else { String::new() };
    let block = Block::new()
        .borders(Borders::ALL)
        .title(Line::styled(format!(" {} ", PARTS[part]), paint(chosen)))
        .title(Line::from(more).right_aligned());
    frame.render_widget(Paragraph::new(lines).scroll((place.scrolled[part], 0)).block(block), area);
}

fn quotas(model: &Model) -> Vec<Line<'static>> {
    tree::table(&model.forest).lines().into_iter().map(line).collect()
}

fn workloads(model: &Model) -> Vec<Line<'static>> {
    if model.workloads.is_empty() {
        return vec![Line::from("nothing has been submitted")];
    }
    // Nothing is measured where no processes are started: columns without a figure would only take room.
    let is_measured = |w: &Workload| w.status.placements.iter().any(|place| place.usage.is_some());
    let columns =
        if model.workloads.iter().any(is_measured) { show::Columns::Live } else { show::Columns::Few };
    show::table(&model.workloads, columns).lines().into_iter().map(line).collect()
}

/// As many nodes in a row as fit.
fn nodes(model: &Model, width: u16) -> Vec<Line<'static>> {
    let cells: Vec<(String, Style)> = model
        .nodes
        .iter()
        .map(|node| {
            let state = match node.status.state {
                NodeState::Ready => String::new(),
                state => format!(" {}", node::word(state).0),
            };
            (format!("{} [{}]{state}", node.metadata.name, marks(node)), style(node))
        })
        .collect();
    let widest = cells.iter().map(|(text, _)| text.chars().count()).max().unwrap_or(1) + 2;
    let columns = (usize::from(width) / widest).max(1);
    let padded = |(text, style): &(String, Style)| (format!("{text:widest$}"), *style);
    cells.chunks(columns).map(|row| line(row.iter().map(padded).collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_the_height() {
        assert_eq!(shares(30, [5, 100, 6]), [5, 19, 6]);
        assert_eq!(shares(30, [50, 1, 50]), [10, 10, 10]);
    }

    #[test]
    fn parts_come_in_turn_and_scrolling_stops_at_the_top() {
        let mut place = Place::default();
        place.previous();
        assert_eq!(place.part, 2);
        place.next();
        place.scroll(-3);
        assert_eq!((place.part, place.scrolled), (0, [0; 3]));
        place.scroll(4);
        place.scroll(i32::MIN);
        assert_eq!(place.scrolled, [0; 3]);
    }
}
