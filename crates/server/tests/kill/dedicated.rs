//! Dedicated compute under `kill -9` at random instants: what was booked never exceeds the supply, capacity is carved
//! out and returned as it was agreed, each instant of it is metered once, and what a statement has said stays so.

use super::{Caller, house, judged, metered_once, rounds, start};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tidegate_api::time::Time;
use tidegate_engine::ids::Tick;

/// Rounds; of `TIDEGATE_KILLS` a tenth, as each takes ten times as long as those without periods.
const ROUNDS: u32 = 20;
const CLIENTS: u64 = 3;
/// GPUs of the supply.
const SUPPLY: u64 = 8;
/// The longest time from the first request to the kill, and from the kill to the next start, in milliseconds.
const LONGEST: u64 = 700;
const LONGEST_AWAY: u64 = 1_500;
/// Configs that change so soon are not looked at: the clockwork looks once a second.
const NEAR: u64 = 2_500;

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

#[allow(clippy::disallowed_methods, reason = "periods are agreed on by the clock of the machine")]
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as u64
}

fn at(ms: u64) -> String {
    Time::of(Tick(ms)).to_string()
}

fn tick(value: &Value) -> Option<u64> {
    value.as_str().map(|text| text.parse::<Time>().expect("a time").tick().0)
}

/// What was acknowledged of a config.
#[derive(Clone, Debug, Default)]
struct Known {
    /// The end that was agreed on last; what was not answered may have moved it further.
    end: Option<u64>,
    released: bool,
}

type Book = Mutex<BTreeMap<String, Known>>;

/// Asks for everything that there is until the server is gone.
struct Client<'a> {
    caller: Caller,
    dice: Dice,
    book: &'a Book,
    name: String,
}

impl Client<'_> {
    fn post(&self, path: &str, body: &Value, headers: &[(&str, &str)]) -> Option<(u16, Value)> {
        self.caller.try_send("POST", path, Some(body), headers)
    }

    fn run(mut self) {
        for n in 0.. {
            let done = match self.dice.below(10) {
                0 | 1 => self.book(),
                2 => self.book_by_usage(),
                3 => self.extend(),
                4 => self.release(),
                5 => self.borrow(n),
                _ => self.task(n),
            };
            if done.is_none() {
                return;
            }
        }
    }

    fn agree(&self, body: &Value, end: u64) -> Option<()> {
        let (status, request) = self.post("/api/v1/resource-requests", body, &[])?;
        assert_eq!(status, 201, "{request}");
        let id = request["id"].as_str().expect("an id");
        let (status, answer) =
            self.post(&format!("/api/v1/resource-requests/{id}:approve"), &json!({}), &[])?;
        match status {
            200 => {
                let config = answer["config"].as_str().expect("a config").to_string();
                let known = Known { end: Some(end), released: false };
                self.book.lock().expect("no panic").insert(config, known);
            }
            _ => {
                let code = answer["code"].as_str().unwrap_or_default();
                assert!(["supply-booked", "wrong-state"].contains(&code), "{answer}");
                let note = json!({"note": "no room"});
                self.post(&format!("/api/v1/resource-requests/{id}:decline"), &note, &[])?;
            }
        }
        Some(())
    }

    fn book(&mut self) -> Option<()> {
        let start = now() + self.dice.below(3_000);
        let end = start + 1_000 + self.dice.below(4_000);
        let reserved = json!({"size": {"gpu": 1 + self.dice.below(5)}, "start": at(start), "end": at(end)});
        let lend = self.dice.below(2) == 0;
        self.agree(
            &json!({"workspace": "default", "reason": "a test", "lend": lend, "reserved": reserved}),
            end,
        )
    }

    fn book_by_usage(&mut self) -> Option<()> {
        let end = now() + 2_000 + self.dice.below(6_000);
        let by_usage = json!({"step": {"gpu": 1}, "maximum": {"gpu": 2 + self.dice.below(5)}, "threshold": 100,
            "coolDown": "1s", "until": at(end)});
        let body = json!({"workspace": "default", "reason": "a test", "cap": 200, "byUsage": by_usage});
        self.agree(&body, end)
    }

    fn any(&mut self) -> Option<String> {
        let book = self.book.lock().expect("no panic");
        let live: Vec<&String> =
            book.iter().filter(|(_, known)| known.end > Some(now())).map(|(id, _)| id).collect();
        let place = self.dice.below(live.len().max(1) as u64) as usize;
        live.get(place).map(|id| id.to_string())
    }

    fn extend(&mut self) -> Option<()> {
        let Some(id) = self.any() else { return Some(()) };
        let end = now() + 1_000 + self.dice.below(6_000);
        let path = format!("/api/v1/resource-configs/{id}:extend");
        let (status, answer) = self.post(&path, &json!({"end": at(end)}), &[])?;
        assert!([200, 409, 422].contains(&status), "{answer}");
        if status == 200 {
            let mut book = self.book.lock().expect("no panic");
            let known = book.entry(id).or_default();
            known.end = known.end.max(Some(end));
        }
        Some(())
    }

    fn release(&mut self) -> Option<()> {
        let Some(id) = self.any() else { return Some(()) };
        let (status, answer) =
            self.post(&format!("/api/v1/resource-configs/{id}:release"), &json!({}), &[])?;
        assert!([200, 409].contains(&status), "{answer}");
        if status == 200 {
            self.book.lock().expect("no panic").entry(id).or_default().released = true;
        }
        Some(())
    }

    /// Work that takes what is idle, and has to leave for every reservation.
    fn borrow(&mut self, n: u32) -> Option<()> {
        let duration = format!("{}ms", 50 + self.dice.below(2_000));
        let work = json!({"metadata": {"name": format!("idle-{}-{n}", self.name)}, "spec": {"quota": "team", "idle": "only",
            "resources": {"gpu": 2}, "gracePeriod": "0s", "virtual": {"duration": duration}}});
        let (status, answer) = self.post("/api/v1/workloads", &work, &[])?;
        assert_eq!(status, 201, "{answer}");
        Some(())
    }

    fn task(&mut self, n: u32) -> Option<()> {
        let Some(id) = self.any() else { return Some(()) };
        let duration = format!("{}ms", 5 + self.dice.below(900));
        let body = json!({"template": "sum", "name": format!("t-{}-{n}", self.name), "workspace": "default",
            "virtual": {"duration": duration}});
        let (status, answer) = self.post("/api/v1/tasks", &body, &[("X-Tidegate-Resource-Config", &id)])?;
        assert!([201, 409, 422, 429].contains(&status), "{answer}");
        Some(())
    }
}

fn furnish(caller: &Caller) {
    let made = |path: &str, body: Value| {
        let (status, answer) = caller.try_send("POST", path, Some(&body), &[]).expect("an answer");
        assert_eq!(status, 201, "{path}: {answer}");
    };
    let quota = |name: &str, gpus: u64, more: Value| {
        let mut spec = json!({"parent": "main", "guarantee": {"gpu": gpus}});
        spec.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        made("/api/v1/quotas", json!({"metadata": {"name": name}, "spec": spec}));
    };
    quota("reserve", SUPPLY, json!({"dedicated": true}));
    // Nothing is left beside: who borrows borrows of the supply.
    quota("team", 32 - SUPPLY, json!({"idleSharing": false}));
    made("/api/v1/templates", json!({"metadata": {"name": "sum"}, "spec": {"resources": {"gpu": 1}}}));
    let tariff = json!({"gpu": {"virtual": "1000"}, "cpu": "0", "memory": "0"});
    let prices: Value =
        ["shared", "reserved", "byUsage", "quota"].map(|mode| (mode, tariff.clone())).into_iter().collect();
    let spec =
        json!({"currency": "EUR", "decimals": 6, "prices": prices, "validFrom": "2020-01-01T00:00:00Z"});
    made("/api/v1/prices", json!({"metadata": {"name": "default"}, "spec": spec}));
}

fn get(caller: &Caller, path: &str) -> Value {
    let (status, answer) = caller.try_send("GET", path, None, &[]).expect("it answers");
    assert_eq!(status, 200, "{path}: {answer}");
    answer
}

fn items(caller: &Caller, path: &str) -> Vec<Value> {
    let (mut all, mut page) = (Vec::new(), String::new());
    loop {
        let list = get(caller, &format!("{path}limit=1000{page}"));
        all.extend(list["items"].as_array().expect("items").clone());
        let Some(next) = list["nextPageToken"].as_str() else { return all };
        page = format!("&pageToken={next}");
    }
}

/// From when to when a reserved config had how many GPUs; early ends count.
fn booked(config: &Value) -> Option<(u64, u64, u64)> {
    let reserved = &config["reserved"];
    let (start, end) = (tick(&reserved["start"])?, tick(&reserved["end"])?);
    let end = tick(&config["endedAt"]).map_or(end, |ended| ended.min(end));
    let gpus = reserved["size"]["gpu"].as_u64().expect("a number");
    Some((start, end.max(start), gpus))
}

/// At no instant is more booked than there is.
fn never_over(configs: &[Value]) {
    let all: Vec<(u64, u64, u64)> = configs.iter().filter_map(booked).collect();
    for (instant, ..) in &all {
        let sum: u64 =
            all.iter().filter(|(s, e, _)| s <= instant && instant < e).map(|(.., gpus)| gpus).sum();
        assert!(sum <= SUPPLY, "{sum} GPUs are booked at {}", at(*instant));
    }
}

/// What was acknowledged is there.
fn acknowledged(configs: &[Value], book: &Book) {
    let by_id: BTreeMap<&str, &Value> =
        configs.iter().map(|config| (config["id"].as_str().expect("an id"), config)).collect();
    for (id, known) in book.lock().expect("no panic").iter() {
        let config = by_id.get(id.as_str()).unwrap_or_else(|| panic!("{id} is gone"));
        let end = tick(&config["reserved"]["end"]).or(tick(&config["byUsage"]["until"]));
        assert!(end >= known.end, "{id} ends at {end:?}, agreed was {:?}", known.end);
        assert!(!known.released || config["state"] == "ended", "{config}");
    }
}

/// Whether the books are as they should be: what is active has all that was agreed, what is over nothing.
fn is_carved(caller: &Caller, configs: &[Value]) -> Result<(), String> {
    let present = now();
    let mut sum = 0;
    for config in configs {
        let id = config["id"].as_str().expect("an id");
        let quota = caller.try_send("GET", &format!("/api/v1/quotas/{id}"), None, &[]).expect("it answers");
        let has = quota.1["spec"]["guarantee"]["gpu"].as_u64().unwrap_or(0);
        sum += has;
        let Some((start, end, gpus)) = booked(config) else { continue };
        if start.abs_diff(present) < NEAR || end.abs_diff(present) < NEAR {
            continue;
        }
        let wanted = if start < present && present < end { gpus } else { 0 };
        if has != wanted {
            return Err(format!("{id} has {has} and should have {wanted}: {config}"));
        }
        let held = config["held"].as_object().map(|held| (tick(&held["since"]), tick(&held["until"])));
        if wanted > 0 && held != Some((Some(start), Some(end))) {
            return Err(format!("{id} pays for {held:?}"));
        }
    }
    if sum <= SUPPLY { Ok(()) } else { Err(format!("{sum} GPUs are held")) }
}

/// What each reserved config that is over has held is what was agreed, to the millisecond.
fn metered_as_agreed(caller: &Caller, configs: &[Value], from: u64) {
    let report = get(caller, &format!("/api/v1/usage?groupBy=config&from={}", at(from)));
    let mut held: BTreeMap<&str, u64> = BTreeMap::new();
    for sum in report["items"].as_array().expect("items").iter().filter(|sum| sum["kind"] == "capacity") {
        let quantity: u64 = sum["quantity"].as_str().and_then(|text| text.parse().ok()).expect("a number");
        *held.entry(sum["config"].as_str().expect("a config")).or_default() += quantity;
    }
    for config in configs.iter().filter(|config| config["state"] == "ended") {
        let Some((start, end, gpus)) = booked(config) else { continue };
        let id = config["id"].as_str().expect("an id");
        let metered = held.get(id).copied().unwrap_or_default();
        assert_eq!(metered, (end - start) * gpus * 1_000, "{config}");
    }
}

/// Records of the capacity of one config never overlap; nor do those of one workload on one account.
fn no_record_twice(caller: &Caller, from: u64) {
    let mut spans: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
    for record in items(caller, &format!("/api/v1/usage/records?from={}&", at(from))) {
        let of = record["workloadId"].as_str().unwrap_or_default();
        let part = ["lender", "quota", "resource", "class", "rule"].map(|key| record[key].to_string());
        let what = format!("{of} {}", part.join(" "));
        let (from, to) = (tick(&record["from"]).expect("a time"), tick(&record["to"]).expect("a time"));
        // What one holds of an account is one amount; a change of it ends the record.
        spans.entry(what).or_default().push((from, to));
    }
    for (what, mut all) in spans {
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{what} is metered twice: {all:?}");
    }
}

/// Statements that were final, word for word.
#[derive(Default)]
struct Past(Vec<(String, Value)>);

impl Past {
    fn check(&self, caller: &Caller) {
        for (path, said) in &self.0 {
            assert_eq!(&statement(caller, path), said, "{path}");
        }
    }

    fn add(&mut self, caller: &Caller, from: u64, to: u64) {
        let path = format!("/api/v1/bills?from={}&to={}", at(from), at(to));
        let said = statement(caller, &path);
        self.0.push((path, said));
    }
}

fn statement(caller: &Caller, path: &str) -> Value {
    let mut bill = get(caller, path);
    assert_eq!(bill["final"], true, "{bill}");
    bill.as_object_mut().expect("an object").remove("asOf");
    bill
}

#[test]
fn dedicated_compute_survives_kill_nine() {
    let rounds = rounds(10 * ROUNDS) / 10;
    let home = tempfile::tempdir().expect("a directory");
    let data = home.path().join("data");
    let (book, mut past, begin) = (Book::default(), Past::default(), now());
    let mut dice = Dice(0x5eed_cafe);
    for round in 0..rounds {
        let mut victim = start(&data);
        let token = tidegate_server::token::read(&data.join("admin.token")).expect("a token");
        let caller = Caller::new(&victim.base, &token);
        if round == 0 {
            furnish(&caller);
        }
        past.check(&caller);
        look(&caller, &book);
        past.add(&caller, begin, now().saturating_sub(dice.below(300)).max(begin + 1));
        std::thread::scope(|scope| {
            for client in 0..CLIENTS {
                let client = Client {
                    caller: caller.clone(),
                    dice: Dice(dice.below(u64::MAX >> 2)),
                    book: &book,
                    name: format!("{round}-{client}"),
                };
                scope.spawn(move || client.run());
            }
            house::pause(Duration::from_millis(dice.below(LONGEST)));
            victim.process.kill().expect("kill -9");
            victim.process.wait().expect("it is gone");
        });
        if dice.below(3) == 0 {
            house::pause(Duration::from_millis(dice.below(LONGEST_AWAY)));
        }
    }
    let mut victim = start(&data);
    let token = tidegate_server::token::read(&data.join("admin.token")).expect("a token");
    let caller = Caller::new(&victim.base, &token);
    past.check(&caller);
    let configs = look(&caller, &book);
    metered_as_agreed(&caller, &configs, begin);
    no_record_twice(&caller, begin);
    let ended = configs.iter().filter(|config| config["state"] == "ended").count();
    println!("{rounds} kills, {} configs, {ended} of them over", configs.len());
    assert!(ended > 3, "nothing has happened");
    victim.process.kill().expect("kill -9");
    victim.process.wait().expect("it is gone");
    the_log_agrees(&data);
}

fn look(caller: &Caller, book: &Book) -> Vec<Value> {
    let mut why = String::new();
    // The clockwork has a moment to catch up.
    for _ in 0..100 {
        let configs = items(caller, "/api/v1/resource-configs?");
        never_over(&configs);
        acknowledged(&configs, book);
        match is_carved(caller, &configs) {
            Ok(()) => return configs,
            Err(not) => why = not,
        }
        house::pause(Duration::from_millis(50));
    }
    panic!("the books do not follow: {why}");
}

fn the_log_agrees(data: &Path) {
    let reader = tidegate_store::open_read_only(data).expect("the store");
    metered_once(&*reader, data);
    judged(&*reader);
}
