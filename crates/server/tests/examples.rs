//! The example manifests are applied, in their order, to a real server.

mod house;

use house::House;
use std::path::Path;

#[test]
fn every_example_is_accepted() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<_> = std::fs::read_dir(&examples)
        .expect("the examples")
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    files.sort();
    assert!(files.len() >= 4, "{files:?}");
    let house = House::new("1x1");
    let token = format!("Bearer {}", house.token());
    let headers = [("Authorization", token.as_str())];
    for file in &files {
        let text = std::fs::read_to_string(file).expect("its text");
        let (status, result) = house.send_as("POST", "/api/v1/apply", "application/yaml", &text, &headers);
        assert_eq!(status, 200, "{}: {result}", file.display());
        let results = result["results"].as_array().expect("results");
        for one in results {
            assert_eq!(one["outcome"], "created", "{}: {one}", file.display());
        }
        let (_, again) = house.send_as("POST", "/api/v1/apply", "application/yaml", &text, &headers);
        for one in again["results"].as_array().expect("results") {
            assert_eq!(one["outcome"], "unchanged", "{}: {one}", file.display());
        }
    }
}
