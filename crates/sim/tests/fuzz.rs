//! The parser and its error messages hold for any input.

use proptest::prelude::*;
use tidegate_sim::language::{parse, parse_bytes};

const VALID: &str = "# comment
pool h100 16x8 H100 cpu=128 memory=1TiB kind=lingjun
pool h100 2x0 -
quota Quota1 H100:128 pool=h100 child=1-9:training,notebook cpu=64 memory=64GiB
quota Quota1.2 80 parent=Quota1 self=6-9>4:training,notebook:both queue=fifo idle-sharing=off protect-for=10m
at 0s  submit b1 Quota1.1 training p2 6x8 for 10h min=2 idle=accept grace=30s checkpoint=1h model=H100,A100
at 0s  submit b2 Quota1.1 DLC p2 roles=1x0+4x8 restarts=3 on-preempt=stop hang cpu=2 memory=512MiB max-run=2d
at 1h30m  transfer 8 Quota1.2 Quota1.1 refuse
at 2h  scale Quota1.1 56 evict
at 2h  set Quota1.2 child=1-3:training self=off queue=balance patience=1m aging-step=5m starvation-guard=1h
at 3h  node h100-3 lost
at 4h  preview submit x1 Quota1 service p5 2x0.5 nodes=h100-0,h100-3 workspace=team
at 4h  explain b1
at 5h  show
----
anything
";

/// Whatever it makes of the input, an error can be printed and points into the file.
fn hold(bytes: &[u8]) {
    if let Err(error) = parse_bytes(bytes) {
        let lines = bytes.iter().filter(|b| **b == b'\n').count() as u32 + 1;
        assert!(error.place.line >= 1 && error.place.line <= lines, "{error}");
        let text = error.to_string();
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.starts_with("line "), "{text}");
    }
}

/// One change to a text: where, how much goes, what comes.
fn edit() -> impl Strategy<Value = (prop::sample::Index, usize, String)> {
    let words = prop::sample::select(vec![
        "",
        " ",
        "\n",
        "#",
        "=",
        ":",
        ",",
        "-",
        ">",
        "x",
        "+",
        ".",
        "0",
        "9",
        "99999999999999999999",
        "at",
        "for",
        "off",
        "\u{feff}",
        "é",
        "\t",
        "\r\n",
        "----\n",
        "p0",
        "-1",
        "1e9",
    ]);
    let come = prop_oneof![words.prop_map(String::from), ".{0,6}"];
    (any::<prop::sample::Index>(), 0..8usize, come)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        hold(&bytes);
    }

    #[test]
    fn any_text(text in "\\PC{0,200}") {
        hold(text.as_bytes());
    }

    #[test]
    fn any_line_of_plausible_words(words in prop::collection::vec("[a-z0-9=:,.<>x#+-]{0,12}", 0..12)) {
        hold(format!("at 0s {}", words.join(" ")).as_bytes());
        hold(format!("at 0s submit a b training p1 {}", words.join(" ")).as_bytes());
        hold(format!("quota {}", words.join(" ")).as_bytes());
    }

    #[test]
    fn edits_of_a_valid_file(edits in prop::collection::vec(edit(), 1..4)) {
        let mut characters: Vec<char> = VALID.chars().collect();
        for (index, gone, come) in edits {
            let from = index.index(characters.len() + 1);
            let to = (from + gone).min(characters.len());
            characters.splice(from..to, come.chars());
        }
        hold(characters.into_iter().collect::<String>().as_bytes());
    }

    #[test]
    fn changed_bytes_of_a_valid_file(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = VALID.as_bytes().to_vec();
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        hold(&bytes);
    }
}

#[test]
fn the_valid_file_is_valid() {
    let scenario = parse(VALID).expect("it parses");
    assert_eq!((scenario.declarations.len(), scenario.lines.len()), (4, 9));
}
