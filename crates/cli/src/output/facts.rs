//! One thing in words: names of facts to the left, the facts to the right.

use super::style::Style;

#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    rows: Vec<(&'static str, Vec<String>)>,
}

impl Facts {
    pub(crate) fn add(&mut self, name: &'static str, fact: impl std::fmt::Display) -> &mut Facts {
        self.rows.push((name, vec![fact.to_string()]));
        self
    }

    /// Nothing is said about what is not there.
    pub(crate) fn maybe(&mut self, name: &'static str, fact: Option<impl std::fmt::Display>) -> &mut Facts {
        if let Some(fact) = fact {
            self.add(name, fact);
        }
        self
    }

    /// Several facts below each other.
    pub(crate) fn lines(&mut self, name: &'static str, facts: Vec<String>) -> &mut Facts {
        if !facts.is_empty() {
            self.rows.push((name, facts));
        }
        self
    }

    pub(crate) fn text(&self) -> String {
        let width = self.rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0) + 2;
        let mut text = String::new();
        for (name, facts) in &self.rows {
            for (index, fact) in facts.iter().enumerate() {
                let shown = if index == 0 { *name } else { "" };
                let pad = " ".repeat(width - shown.chars().count());
                let line = format!("{}{pad}{fact}", Style::Bold.paint(shown));
                text.push_str(line.trim_end());
                text.push('\n');
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_stand_below_each_other() {
        let mut facts = Facts::default();
        facts.add("name", "a").maybe("gone", None::<u8>).lines("why", vec!["one".into(), "two".into()]);
        assert_eq!(facts.text(), "name  a\nwhy   one\n      two\n");
    }
}
