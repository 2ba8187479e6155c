//! Random scenarios on the real engine, with the checker on: whatever happens, no rule is broken, a run
//! comes to its end, and replaying its events gives the same state. A failure is cut down to the lines
//! that it needs. `CASES=n` runs more, `SEED=n` one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use tidegate_engine::Engine;
use tidegate_sim::simulate;

/// A small generator of its own, so that a seed gives the same file for ever.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.roll(words.len() as u64) as usize]
    }
}

/// A tree of three levels over a small pool, and some forty changes.
fn scenario(seed: u64) -> Vec<String> {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    for _ in 0..8 {
        dice.roll(2);
    }
    let nodes = 2 + dice.roll(4);
    let total = nodes * 8;
    let mut lines = vec![format!("pool p {nodes}x8 H100")];
    lines.push(format!("quota R {total} pool=p{}", policy(&mut dice)));
    let (a, b) = (dice.roll(total / 2 + 1), dice.roll(total / 2 + 1));
    lines.push(format!("quota A {a} parent=R{}", policy(&mut dice)));
    lines.push(format!("quota B {b} parent=R{}", policy(&mut dice)));
    lines.push(format!("quota A1 {} parent=A{}", dice.roll(a + 1), policy(&mut dice)));
    let mut minutes = 0;
    for number in 0..20 + dice.roll(30) {
        minutes += dice.roll(40);
        lines.push(format!("at {minutes}m {}", change(&mut dice, number, nodes)));
    }
    lines
}

fn policy(dice: &mut Dice) -> String {
    let mut text = String::new();
    if dice.one_in(2) {
        let sets =
            ["1-9:training,notebook", "1-3:training", "1-9:training,notebook,service,task", "2-5:service"];
        text += &format!(" child={}", dice.pick(&sets));
    }
    if dice.one_in(3) {
        let sets = [
            "6-9>1-5:training",
            "5-9>1-4:training,notebook,service",
            "7>4:training:same-quota",
            "3-9>1-2:training,service:siblings",
        ];
        text += &format!(" self={}", dice.pick(&sets));
    }
    if dice.one_in(2) {
        text += &format!(" queue={}", dice.pick(&["fifo", "round-robin", "balance", "intelligent", "fair"]));
    }
    if dice.one_in(4) {
        text += " idle-sharing=off";
    }
    if dice.one_in(6) {
        text += " protect-for=20m";
    }
    if dice.one_in(6) {
        text += " starvation-guard=10m";
    }
    text
}

fn change(dice: &mut Dice, number: u64, nodes: u64) -> String {
    let quota = |dice: &mut Dice| dice.pick(&["R", "A", "B", "A1"]);
    let name = |dice: &mut Dice| format!("w{}", dice.roll(number + 1));
    let mode = |dice: &mut Dice| dice.pick(&["refuse", "drain", "evict"]);
    match dice.roll(20) {
        0 => format!("finish {}", name(dice)),
        1 => format!("stop {}", name(dice)),
        2 => format!("fail {}", name(dice)),
        3 => format!("priority {} p{}", name(dice), 1 + dice.roll(9)),
        4 => format!("resize {} {}", name(dice), 1 + dice.roll(4)),
        5 => {
            let (from, to) = if dice.one_in(2) { ("A", "B") } else { ("B", "A") };
            format!("transfer {} {from} {to} {}", 1 + dice.roll(8), mode(dice))
        }
        6 => format!("scale {} {} {}", quota(dice), dice.roll(nodes * 8 + 1), mode(dice)),
        7 => {
            let state = dice.pick(&["lost", "ready", "ready", "cordoned", "drain"]);
            format!("node p-{} {state}", dice.roll(nodes))
        }
        8 if dice.one_in(2) => {
            format!("set {} queue={}", quota(dice), dice.pick(&["fifo", "balance", "fair"]))
        }
        8 => format!("set {}{}", quota(dice), {
            let text = policy(dice);
            if text.is_empty() { " child=off".into() } else { text }
        }),
        9 => format!("explain {}", name(dice)),
        10 => format!("preview {}", submit(dice, number)),
        _ => submit(dice, number),
    }
}

fn submit(dice: &mut Dice, number: u64) -> String {
    let quota = dice.pick(&["R", "A", "B", "A1"]);
    let module = dice.pick(&["training", "training", "training", "notebook", "service", "task"]);
    let gpus = dice.pick(&["8", "8", "4", "2", "1", "0.5", "0.25", "0"]);
    let replicas = 1 + dice.roll(4);
    let mut text = format!("submit w{number} {quota} {module} p{} {replicas}x{gpus}", 1 + dice.roll(9));
    if !dice.one_in(4) {
        text += &format!(" for {}m", dice.roll(200));
    }
    if dice.one_in(3) {
        text += &format!(" grace={}s", dice.roll(600));
    }
    if module == "training" && dice.one_in(3) {
        text += dice.pick(&[" idle=accept", " idle=accept", " idle=only"]);
    }
    if dice.one_in(4) {
        text += &format!(" min={}", 1 + dice.roll(replicas));
    }
    for (sides, option) in [
        (5, " checkpoint=10m"),
        (8, " checkpoint=suspend"),
        (12, " on-preempt=stop"),
        (12, " hang"),
        (6, " restarts=2"),
        (12, " max-run=1h"),
        (4, " workspace=blue"),
    ] {
        if dice.one_in(sides) && !(option.contains("checkpoint") && text.contains("checkpoint")) {
            text += option;
        }
    }
    text
}

/// Runs a file; the first line of what went wrong, if anything did.
fn fault(lines: &[String]) -> Option<String> {
    let text = lines.join("\n");
    let run = catch_unwind(AssertUnwindSafe(|| {
        let recording = match simulate(text.as_bytes()) {
            Ok(recording) => recording,
            Err(error) => return Some(error.to_string()),
        };
        let mut replayed = Engine::new();
        recording.events.iter().for_each(|event| replayed.apply(event));
        (replayed != recording.engine).then(|| "internal error: the replayed engine differs".into())
    }));
    let message = run.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?");
        Some(format!("internal error: panic: {text}"))
    });
    // A declaration that breaks a rule is no fault of the engine's.
    message.filter(|message| message.starts_with("internal error"))
}

/// Drops lines, as long as something goes wrong without them.
fn cut(mut lines: Vec<String>) -> Vec<String> {
    loop {
        let before = lines.len();
        let mut at = lines.len();
        while at > 1 {
            at -= 1;
            let mut fewer = lines.clone();
            fewer.remove(at);
            if fault(&fewer).is_some() {
                lines = fewer;
            }
        }
        if lines.len() == before {
            return lines;
        }
    }
}

#[test]
fn no_rule_is_ever_broken() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seeds = match number("SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("CASES").unwrap_or(200),
    };
    // The default hook would print each panic on the way to the shortest file.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let found = seeds.map(|seed| (seed, scenario(seed))).find(|(_, lines)| fault(lines).is_some());
    let found = found.map(|(seed, lines)| (seed, cut(lines)));
    std::panic::set_hook(hook);
    if let Some((seed, lines)) = found {
        let fault = fault(&lines).unwrap_or_default();
        panic!("seed {seed}\n{}\n----\n{fault}\n", lines.join("\n"));
    }
}
