//! Aligned columns.

use super::style::Style;

/// A cell: what it says, and how.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl<T: std::fmt::Display> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell { text: text.to_string(), style: Style::Plain }
    }
}

impl Cell {
    pub(crate) fn styled(text: impl std::fmt::Display, style: Style) -> Cell {
        Cell { text: text.to_string(), style }
    }

    /// A dash for what is not there.
    pub(crate) fn maybe(text: Option<impl std::fmt::Display>) -> Cell {
        text.map_or_else(|| Cell::styled("-", Style::Dim), Cell::from)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Names; one that begins with `>` stands to the right, as figures do.
    columns: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

/// Spaces between two columns.
const GAP: usize = 2;

impl Table {
    pub(crate) fn new(columns: &[&'static str]) -> Table {
        Table { columns: columns.to_vec(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(cells);
    }

    /// Heading and rows.
    pub(crate) fn text(&self) -> String {
        self.lines().iter().map(|line| painted(line)).collect()
    }

    /// Heading and rows as pieces with their styles, for who paints by other means.
    pub(crate) fn lines(&self) -> Vec<Vec<(String, Style)>> {
        let heading = self.heading();
        let widths = self.widths(&heading);
        let lines = std::iter::once(&heading).chain(&self.rows);
        lines.map(|cells| self.line(cells, &widths)).collect()
    }

    /// Rows alone, as wide as those of an earlier table: for rows that follow one by one.
    pub(crate) fn rows_below(&self, earlier: &Table) -> String {
        let widths = earlier.widths(&earlier.heading());
        self.rows.iter().map(|cells| painted(&self.line(cells, &widths))).collect()
    }

    fn heading(&self) -> Vec<Cell> {
        self.columns.iter().map(|name| Cell::styled(name.trim_start_matches('>'), Style::Bold)).collect()
    }

    fn widths(&self, heading: &[Cell]) -> Vec<usize> {
        let width = |cell: &Cell| cell.text.chars().count();
        let column = |index: usize| {
            let cells = self.rows.iter().filter_map(move |row| row.get(index));
            cells.chain(heading.get(index)).map(width).max().unwrap_or(0)
        };
        (0..self.columns.len()).map(column).collect()
    }

    fn line(&self, cells: &[Cell], widths: &[usize]) -> Vec<(String, Style)> {
        let mut line = Vec::new();
        // Spaces are kept back until something follows: no line has a tail.
        let mut spaces = 0;
        for (index, cell) in cells.iter().enumerate() {
            let pad = widths[index].saturating_sub(cell.text.chars().count());
            let (before, after) = if self.columns[index].starts_with('>') { (pad, 0) } else { (0, pad) };
            spaces += before;
            if !cell.text.is_empty() {
                line.push((" ".repeat(spaces), Style::Plain));
                line.push((cell.text.clone(), cell.style));
                spaces = 0;
            }
            spaces += after + GAP;
        }
        line
    }
}

fn painted(line: &[(String, Style)]) -> String {
    line.iter().map(|(text, style)| style.paint(text)).chain(["\n".to_string()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_have_no_tail() {
        let mut table = Table::new(&["NAME", ">GPUS", "WHY"]);
        table.row(vec!["a".into(), 8.into(), "".into()]);
        table.row(vec!["longer".into(), 128.into(), "because of it".into()]);
        assert_eq!(table.text(), "NAME    GPUS  WHY\na          8\nlonger   128  because of it\n");
        let mut next = Table::new(&["NAME", ">GPUS", "WHY"]);
        next.row(vec!["b".into(), 1.into(), Cell::maybe(None::<u8>)]);
        assert_eq!(next.rows_below(&table), "b          1  -\n");
    }
}
