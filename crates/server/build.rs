//! Has the release binary built again when the console was: the names of its files change with what is in them, so
//! the compiler cannot know which to look at.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let dist = concat!(env!("CARGO_MANIFEST_DIR"), "/../../console/dist");
    // The way there is resolved when it is compiled, and what is missing would have everything built again each
    // time. Where it cannot be made there will be no console either.
    let is_there = std::fs::create_dir_all(dist).is_ok();
    // Debug builds read the files from disk when they are asked for.
    if is_there && std::env::var("PROFILE").is_ok_and(|profile| profile != "debug") {
        println!("cargo::rerun-if-changed={dist}");
    }
}
