//! Puts the code of frequent decisions together, and gives the binary a fixed address.

fn main() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/hot.ld");
    println!("cargo:rerun-if-changed={script}");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo:rustc-link-arg-bins=-Wl,-T,{script}");
        // There is a supervisor for every process, and a start for every command. At a fixed address, nothing has to
        // be relocated at each of them: that saves half a millisecond and most of a supervisor's own memory.
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
