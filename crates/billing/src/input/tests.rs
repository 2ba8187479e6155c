use super::*;
use serde_json::json;

fn schema(value: Value) -> InputSchema {
    InputSchema::new(value.clone()).unwrap_or_else(|wrong| panic!("{value}: {wrong:?}"))
}

/// Each fits or does not.
fn judge(value: Value, fitting: &[Value], wrong: &[Value]) {
    let schema = schema(value);
    for inputs in fitting {
        assert_eq!(schema.check(inputs), [], "{schema:?} and {inputs}");
    }
    for inputs in wrong {
        assert_ne!(schema.check(inputs), [], "{schema:?} and {inputs}");
    }
}

#[test]
fn every_word_lets_pass_and_refuses() {
    judge(json!(true), &[json!(null), json!({"a": 1})], &[]);
    judge(json!(false), &[], &[json!(null), json!({})]);
    judge(
        json!({"type": "integer"}),
        &[json!(1), json!(-3), json!(2.0)],
        &[json!(1.5), json!("1"), json!(null)],
    );
    judge(json!({"type": "number"}), &[json!(1), json!(1.5)], &[json!("1"), json!(true)]);
    judge(json!({"type": ["string", "null"]}), &[json!("x"), json!(null)], &[json!(1), json!([])]);
    judge(json!({"enum": ["a", 2, null]}), &[json!("a"), json!(2.0), json!(null)], &[json!("b"), json!(3)]);
    judge(json!({"const": {"a": [1]}}), &[json!({"a": [1.0]})], &[json!({"a": [2]}), json!({})]);
    judge(json!({"minimum": 1, "maximum": 4}), &[json!(1), json!(4), json!("x")], &[json!(0), json!(4.5)]);
    judge(
        json!({"exclusiveMinimum": 1, "exclusiveMaximum": 4}),
        &[json!(1.5), json!(3)],
        &[json!(1), json!(4)],
    );
    judge(json!({"multipleOf": 8}), &[json!(0), json!(64), json!(16.0)], &[json!(12), json!(8.5)]);
    judge(
        json!({"minLength": 2, "maxLength": 3}),
        &[json!("äö"), json!("abc")],
        &[json!("ä"), json!("abcd")],
    );
    judge(
        json!({"minItems": 1, "maxItems": 2}),
        &[json!([1]), json!([1, 2])],
        &[json!([]), json!([1, 2, 3])],
    );
    judge(json!({"uniqueItems": true}), &[json!([1, 2])], &[json!([1, 2, 1.0])]);
    judge(json!({"items": {"type": "string"}}), &[json!([]), json!(["a"])], &[json!(["a", 1])]);
    judge(
        json!({"minProperties": 1, "maxProperties": 1}),
        &[json!({"a": 1})],
        &[json!({}), json!({"a": 1, "b": 2})],
    );
    judge(json!({"required": ["a", "b"]}), &[json!({"a": 1, "b": null}), json!(3)], &[json!({"a": 1})]);
    judge(
        json!({"properties": {"a": {"type": "string"}}, "additionalProperties": false}),
        &[json!({}), json!({"a": "x"})],
        &[json!({"a": 1}), json!({"b": 1})],
    );
    judge(
        json!({"properties": {"a": true}, "additionalProperties": {"type": "integer"}}),
        &[json!({"a": "x", "b": 1})],
        &[json!({"b": "x"})],
    );
    judge(json!({"allOf": [{"minimum": 1}, {"maximum": 2}]}), &[json!(1)], &[json!(3), json!(0)]);
    judge(json!({"anyOf": [{"type": "string"}, {"minimum": 5}]}), &[json!("x"), json!(5)], &[json!(4)]);
    judge(json!({"oneOf": [{"minimum": 1}, {"minimum": 5}]}), &[json!(3)], &[json!(0), json!(6)]);
    judge(json!({"not": {"type": "null"}}), &[json!(1)], &[json!(null)]);
    let tree = json!({"$ref": "#/$defs/node", "$defs": {"node": {
        "type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "additionalProperties": false}}});
    judge(tree, &[json!({}), json!({"next": {"next": {}}})], &[json!({"next": {"last": 1}}), json!(1)]);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let schema = schema(json!({"type": "object", "required": ["prompt"], "additionalProperties": false,
        "properties": {"prompt": {"type": "string", "maxLength": 3}, "sizes": {"items": {"maximum": 9}}}}));
    let found = schema.check(&json!({"prompt": "long", "sizes": [1, 10], "a/b": 1}));
    let at: Vec<&str> = found.iter().map(|wrong| wrong.at.as_str()).collect();
    assert_eq!(at, ["/a~1b", "/prompt", "/sizes/1"]);
    assert_eq!(found[1].why, "4 characters are more than 3");
    assert_eq!(schema.check(&json!({}))[0].why, "prompt is missing");
    let many = schema.check(&json!({"prompt": "x", "sizes": vec![10; 100]}));
    assert_eq!(many.len(), MAX_WRONG);
}

#[test]
fn what_is_not_understood_is_refused() {
    for (value, at) in [
        (json!([]), ""),
        (json!({"pattern": "^a"}), "/pattern"),
        (json!({"type": "text"}), "/type"),
        (json!({"type": []}), "/type"),
        (json!({"enum": []}), "/enum"),
        (json!({"minimum": "1"}), "/minimum"),
        (json!({"multipleOf": 0.5}), "/multipleOf"),
        (json!({"minLength": -1}), "/minLength"),
        (json!({"required": "a"}), "/required"),
        (json!({"uniqueItems": 1}), "/uniqueItems"),
        (json!({"properties": {"a": {"if": true}}}), "/properties/a/if"),
        (json!({"anyOf": [true, {"items": 3}]}), "/anyOf/1/items"),
        (json!({"$ref": "https://example.com/schema"}), "/$ref"),
        (json!({"$ref": "#/$defs/none"}), "/$ref"),
        (json!({"description": "x".repeat(MAX_SCHEMA)}), ""),
    ] {
        let wrong = InputSchema::new(value.clone()).expect_err("refused");
        assert_eq!(wrong.at, at, "{value} {wrong:?}");
    }
    assert!(InputSchema::parse("{").is_err());
}

#[test]
fn a_schema_without_end_is_given_up() {
    let own = json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}});
    assert!(schema(own).check(&json!(1))[0].why.contains("too long"));
    // Each level asks both ways of the level below: more ways than there is time for.
    let level = |next: usize| json!({"anyOf": [{"$ref": format!("#/$defs/l{next}"), "minimum": 9}, {"$ref": format!("#/$defs/l{next}")}]});
    let mut defs: Map<String, Value> = (0..30).map(|n| (format!("l{n}"), level(n + 1))).collect();
    defs.insert("l30".into(), json!({"minimum": 5}));
    let wide = json!({"$ref": "#/$defs/l0", "$defs": defs});
    assert!(schema(wide).check(&json!(1))[0].why.contains("too long"));
}
