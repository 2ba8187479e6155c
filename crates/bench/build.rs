//! Puts the code of frequent decisions together.

fn main() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/hot.ld");
    println!("cargo:rerun-if-changed={script}");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo:rustc-link-arg-bins=-Wl,-T,{script}");
    }
}
