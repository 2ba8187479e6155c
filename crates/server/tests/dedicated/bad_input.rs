//! What makes no sense is a clear error, and what was agreed is not changed by hand.

use super::*;

fn house() -> House {
    let house = House::new("1x8");
    furnish(&house);
    house
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let house = House::new("1x8");
    let ask = |body: Value| house.post("/api/v1/resource-requests", &body);
    let whole = |reserved: Value| json!({"workspace": "default", "reason": "x", "reserved": reserved});
    let (start, end) = ("2031-01-01T00:00:00Z", "2031-01-02T00:00:00Z");
    refused(
        ask(whole(json!({"size": {"gpu": 1}, "end": end}))),
        422,
        "no-dedicated-compute",
        "no quota is marked",
    );
    furnish(&house);
    let cases = [
        (json!({"size": {"gpu": 1}, "start": end, "end": start}), "invalid", "not after its start"),
        (json!({"size": {"gpu": 1}, "start": start, "end": start}), "invalid", "not after its start"),
        (json!({"size": {"gpu": 1}, "end": "2020-01-01T00:00:00Z"}), "invalid", "is over already"),
        (
            json!({"size": {"gpu": 1}, "end": "2099-01-01T00:00:00Z"}),
            "limit-exceeded",
            "nothing is agreed for later",
        ),
        (
            json!({"size": {"gpu": 1}, "start": start, "end": "2031-01-01T00:00:00.5Z"}),
            "invalid",
            "shorter than",
        ),
        (json!({"size": {"gpu": 1}}), "invalid", "say when it is over"),
        (json!({"size": {"gpu": 0}, "end": end}), "bad-amount", "nothing at all"),
        (json!({"size": {"gpu": 9}, "end": end}), "bad-amount", "8 GPUs in all, this is 9 GPUs"),
        (json!({"size": {"gpu": 1, "cpu": 4}, "end": end}), "wrong-dimensions", "keeps no books of cores"),
        (json!({"size": {"gpu": {"A100": 1}}, "end": end}), "unknown-reference", "no GPU model A100"),
    ];
    for (reserved, code, says) in cases {
        refused(ask(whole(reserved)), 422, code, says);
    }
    let weekly = |change: Value| {
        let mut weekly = json!({"days": ["mon"], "from": "09:00", "to": "18:00", "timeZone": "Europe/Berlin",
            "firstDay": "2030-01-01", "lastDay": "2030-03-01"});
        weekly.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
        ask(whole(json!({"size": {"gpu": 1}, "weekly": weekly})))
    };
    for (change, code, says) in [
        (json!({"timeZone": "Mars/Base"}), "invalid", "no time zone"),
        (json!({"days": ["someday"]}), "invalid", "days are some of"),
        (json!({"from": "9 am"}), "invalid", "no time of day"),
        (json!({"lastDay": "2029-01-01"}), "invalid", "before the first"),
        (json!({"lastDay": "soon"}), "invalid", "no date"),
        (json!({"firstDay": "2020-01-01", "lastDay": "2020-03-01"}), "invalid", "over already"),
        (
            json!({"days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "lastDay": "2033-01-01"}),
            "limit-exceeded",
            "more than 1000",
        ),
    ] {
        refused(weekly(change), 422, code, says);
    }
    for (change, code, says) in [
        (json!({"step": {"gpu": 0}}), "bad-amount", "nothing at all"),
        (json!({"step": {"gpu": 7}}), "bad-amount", "more than the maximum"),
        (json!({"minimum": {"gpu": 7}}), "bad-amount", "more than the maximum"),
        (json!({"maximum": {"gpu": 9}}), "bad-amount", "8 GPUs in all"),
        (json!({"threshold": 0}), "invalid", "1 to 100"),
        (json!({"coolDown": "0s"}), "invalid", "not between"),
        (json!({"wait": "25h"}), "invalid", "more than"),
        (json!({"until": "2020-01-01T00:00:00Z"}), "invalid", "over already"),
    ] {
        refused(ask(by_usage(change)), 422, code, says);
    }
    let mut both = by_usage(json!({}));
    both["reserved"] = json!({"size": {"gpu": 1}, "end": end});
    refused(ask(both), 422, "invalid", "not both");
    refused(ask(json!({"workspace": "default", "reason": "x"})), 422, "invalid", "say how");
    for (field, value, says) in [
        ("reason", json!(" "), "what it is for"),
        ("cap", json!(0), "1 to 1000"),
        ("supply", json!("team"), "no dedicated quota team"),
    ] {
        let mut body = whole(json!({"size": {"gpu": 1}, "end": end}));
        body[field] = value;
        let (status, answer) = ask(body);
        assert!(status == 422 && answer.to_string().contains(says), "{answer}");
    }
    // Where there are several supplies, one is to be named.
    let more = json!({"metadata": {"name": "more"}, "spec": {"pool": "local", "guarantee": {"gpu": 0}, "dedicated": true}});
    made(&house, "/api/v1/quotas", &more);
    refused(ask(whole(json!({"size": {"gpu": 1}, "end": end}))), 422, "invalid", "several dedicated quotas");
    for (path, method) in
        [("resource-requests/rr-9", "GET"), ("resource-configs/rc-9", "GET"), ("resource-configs/9", "GET")]
    {
        assert_eq!(house.raw(method, &format!("/api/v1/{path}"), "").0, 404, "{path}");
    }
}

#[test]
fn a_supply_and_its_configs_are_not_changed_by_hand() {
    let house = house();
    let year = json!({"workspace": "default", "reason": "x", "reserved": {"size": {"gpu": 5}, "end": "2031-01-01T00:00:00Z"}});
    let first = config(&house, &year);
    assert_eq!(first, "rc-0");
    let token = format!("Bearer {}", house.token());
    let headers = [("Authorization", token.as_str()), ("If-Match", "*")];
    let send = |method: &str, path: &str, body: Option<Value>| {
        house.send(method, &format!("/api/v1/quotas{path}"), body.map(|body| body.to_string()), &headers)
    };
    let scale = |gpus: u32| json!({"guarantee": {"gpu": gpus}, "mode": "evict"});
    let by_hand = "rc-0 is the quota of a resource config";
    refused(send("POST", "/rc-0:scale", Some(scale(6))), 409, "dedicated-quota", by_hand);
    refused(send("DELETE", "/rc-0", None), 409, "dedicated-quota", by_hand);
    let spec = json!({"metadata": {"name": "rc-0"}, "spec": {"parent": "reserve", "guarantee": {"gpu": 1}}});
    refused(send("PUT", "/rc-0", Some(spec.clone())), 409, "dedicated-quota", by_hand);
    let applied = house.post(
        "/api/v1/apply",
        &json!({"manifests": [{"apiVersion": "tidegate.dev/v1", "kind": "Quota",
        "metadata": {"name": "rc-0"}, "spec": spec["spec"]}]}),
    );
    assert_eq!(applied.1["results"][0]["problem"]["code"], "dedicated-quota", "{}", applied.1);
    let named = json!({"metadata": {"name": "rc-77"}, "spec": {"parent": "team", "guarantee": {"gpu": 1}}});
    refused(send("POST", "", Some(named)), 422, "invalid", "those of resource configs");
    let child = json!({"metadata": {"name": "mine"}, "spec": {"parent": "reserve", "guarantee": {"gpu": 1}}});
    refused(send("POST", "", Some(child)), 409, "dedicated-quota", "only resource configs are below it");
    // What is booked stays, whichever way somebody takes of the supply.
    let booked = "5 GPUs are booked";
    refused(send("POST", "/reserve:scale", Some(scale(4))), 409, "supply-booked", booked);
    let transfer = json!({"to": "team", "amount": {"gpu": 4}, "mode": "evict"});
    refused(send("POST", "/reserve:transfer", Some(transfer)), 409, "supply-booked", "for rc-0");
    let smaller = json!({"metadata": {"name": "reserve"}, "spec": {"parent": "all", "guarantee": {"gpu": 4}, "dedicated": true}});
    refused(send("PUT", "/reserve", Some(smaller)), 409, "supply-booked", booked);
    let plain = json!({"metadata": {"name": "reserve"}, "spec": {"parent": "all", "guarantee": {"gpu": 8}}});
    refused(send("PUT", "/reserve", Some(plain)), 409, "dedicated-quota", "rc-0 are taken from reserve");
    assert_eq!(send("DELETE", "/reserve", None).0, 409);
    assert_eq!(send("POST", "/reserve:scale", Some(scale(5))).0, 200, "what is not booked may go");
    let both = json!({"metadata": {"name": "both"}, "spec": {"parent": "team", "guarantee": {"gpu": 1}, "queue": {"strategy": "fair"},
        "shared": true, "dedicated": true}});
    refused(send("POST", "", Some(both)), 422, "invalid", "shared or dedicated");
    let parent = json!({"metadata": {"name": "all"}, "spec": {"pool": "h100", "guarantee": {"gpu": 16}, "dedicated": true}});
    refused(send("PUT", "/all", Some(parent)), 409, "dedicated-quota", "has children");
    // Nothing runs there but tasks that name a config.
    let work = |quota: &str| json!({"metadata": {"name": "w"}, "spec": {"quota": quota, "resources": {"gpu": 1}, "workspace": "default"}});
    refused(house.post("/api/v1/workloads", &work("reserve")), 409, "dedicated-quota", "runs no work itself");
    refused(house.post("/api/v1/workloads", &work("rc-0")), 409, "dedicated-quota", "runs tasks alone");
    // A quota that has work of its own is not made a supply.
    let busy = json!({"metadata": {"name": "w"}, "spec": {"quota": "team", "resources": {"gpu": 1}, "workspace": "default"}});
    made(&house, "/api/v1/workloads", &busy);
    let marked = json!({"metadata": {"name": "team"}, "spec": {"parent": "all", "guarantee": {"gpu": 7}, "dedicated": true}});
    refused(send("PUT", "/team", Some(marked)), 409, "dedicated-quota", "have not ended");
}

#[test]
fn lists_of_configs_are_checked() {
    let house = house();
    let long = config(
        &house,
        &json!({"workspace": "default", "reason": "x", "reserved": {"size": {"gpu": 2}, "end": "2031-01-01T00:00:00Z"}}),
    );
    let later = json!({"workspace": "default", "reason": "x",
        "reserved": {"size": {"gpu": 2}, "start": "2030-01-01T00:00:00Z", "end": "2031-01-01T00:00:00Z"}});
    let later = config(&house, &later);
    let says = format!("{later} has not begun: it begins at 2030-01-01T00:00:00Z");
    for list in [later.clone(), format!("{later},default"), format!("{long},{later}")] {
        refused(send(&house, "sum", "t", &list), 409, "config-not-active", &says);
    }
    for list in ["", "rc-0,", "rc-0,rc-0", "rc 0"] {
        refused(send(&house, "sum", "t", list), 400, "bad-parameter", "");
    }
    refused(send(&house, "sum", "t", "rc-00"), 422, "unknown-reference", "there is no resource config rc-00");
    refused(send(&house, "large", "t", &long), 422, "never-fits", "rc-0");
    for name in ["a", "b"] {
        assert_eq!(send(&house, "sum", name, &long).1["state"], "running");
    }
    // Only fullness overflows.
    refused(
        send(&house, "sum", "c", &long),
        429,
        "config-full",
        "rc-0 is used to 100.0 %, its cap is 100.0 %",
    );
    let (status, over) = send(&house, "sum", "c", &format!("{long},default"));
    assert_eq!(
        (status, &over["resourceConfig"], &over["state"]),
        (201, &json!("default"), &json!("running")),
        "{over}"
    );
    let config = shown(&house, &long);
    assert_eq!(
        (&config["running"], &config["utilisation"], &config["used"]["gpu"]),
        (&json!(2), &json!(1), &json!(2))
    );
}
