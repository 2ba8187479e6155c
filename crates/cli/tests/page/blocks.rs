//! The fenced blocks of a Markdown page.

/// A block of commands, and the block of output right after it.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Where it stands: the latest heading of the second level.
    pub(crate) part: String,
    /// The line of its fence, counted from 1.
    pub(crate) line: usize,
    words: Vec<String>,
    pub(crate) text: String,
    pub(crate) shows: Option<Output>,
}

#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub(crate) line: usize,
    pub(crate) is_json: bool,
    pub(crate) text: String,
}

/// The ways in which a page may be followed.
const WAYS: [&str; 2] = ["cli", "curl"];
const WORDS: [&str; 4] = ["again", "serve", "watch", "by-hand"];

impl Block {
    pub(crate) fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }

    /// Whether it is run by those who follow the page this way.
    pub(crate) fn is_for(&self, way: Option<&str>) -> bool {
        let ways: Vec<&str> = WAYS.into_iter().filter(|way| self.has(way)).collect();
        ways.is_empty() || way.is_some_and(|way| ways.contains(&way))
    }

    pub(crate) fn exit_code(&self) -> i32 {
        self.words.iter().find_map(|word| word.strip_prefix("exit-")?.parse().ok()).unwrap_or(0)
    }
}

/// All blocks of commands of a page.
pub(crate) fn read(page: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut part = String::new();
    // Whether only empty lines stand between the latest block of commands and here.
    let mut is_right_after = false;
    let mut lines = page.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```") else {
            if let Some(heading) = line.strip_prefix("## ") {
                part = heading.to_string();
            }
            is_right_after &= line.trim().is_empty();
            continue;
        };
        let text: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        let text = text.iter().map(|line| format!("{line}\n")).collect::<String>();
        let mut words = info.split_whitespace().map(String::from);
        match words.next().as_deref() {
            Some("sh") => {
                let words: Vec<String> = words.collect();
                for word in &words {
                    let is_known = WAYS.contains(&word.as_str())
                        || WORDS.contains(&word.as_str())
                        || word.strip_prefix("exit-").is_some_and(|code| code.parse::<u8>().is_ok());
                    assert!(is_known, "line {}: a block of commands cannot be {word:?}", index + 1);
                }
                found.push(Block { part: part.clone(), line: index + 1, words, text, shows: None });
                is_right_after = true;
            }
            Some(language @ ("text" | "json" | "yaml")) if is_right_after => {
                let block = found.last_mut().expect("it stands after one");
                block.shows = Some(Output { line: index + 1, is_json: language == "json", text });
                is_right_after = false;
            }
            _ => is_right_after = false,
        }
    }
    found
}

/// The page with what `block` printed in place of what it shows.
pub(crate) fn replace(page: &str, block: &Block, printed: &str) -> String {
    let shown = block.shows.as_ref().expect("only what is shown is corrected");
    let lines: Vec<&str> = page.lines().collect();
    let (before, rest) = lines.split_at(shown.line);
    let after = &rest[shown.text.lines().count()..];
    let all = before.iter().copied().chain(printed.lines()).chain(after.iter().copied());
    all.map(|line| format!("{line}\n")).collect()
}

#[test]
fn blocks_are_read_with_what_they_show() {
    let page = "# T\n\n## One\n\n```sh cli exit-3\na\nb\n```\n\n```text\nout\n```\n\n```sh curl\nc\n```\n\nwords\n\n```text\nno\n```\n";
    let blocks = read(page);
    assert_eq!(blocks.len(), 2);
    assert_eq!(
        (blocks[0].text.as_str(), blocks[0].exit_code(), blocks[0].part.as_str()),
        ("a\nb\n", 3, "One")
    );
    assert_eq!(blocks[0].shows.as_ref().map(|shown| shown.text.as_str()), Some("out\n"));
    assert!(blocks[0].is_for(Some("cli")) && !blocks[0].is_for(Some("curl")) && !blocks[0].is_for(None));
    assert!(blocks[1].shows.is_none(), "words stand between");
    assert_eq!(replace(page, &blocks[0], "x\ny\n"), page.replace("out\n", "x\ny\n"));
}
