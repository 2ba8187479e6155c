//! Puts the code of frequent decisions together, and that of every start; gives the binary a fixed address, and what
//! it needs of the compiler's library.

use std::env;
use std::process::Command;

/// What unwinds the stack. A file of its own would be found, mapped and set up at every start.
const UNWINDER: &str = "gcc_eh";

fn main() {
    let scripts =
        ["/../engine/hot.ld", "/start.ld"].map(|path| format!("{}{path}", env!("CARGO_MANIFEST_DIR")));
    for script in &scripts {
        println!("cargo:rerun-if-changed={script}");
    }
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        for script in &scripts {
            println!("cargo:rustc-link-arg-bins=-Wl,-T,{script}");
        }
        // There is a supervisor for every process, and a start for every command. At a fixed address, nothing has to
        // be relocated at each of them: that saves half a millisecond and most of a supervisor's own memory.
        println!("cargo:rustc-link-arg-bins=-no-pie");
        if env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|libc| libc == "gnu") && is_installed(UNWINDER) {
            println!("cargo:rustc-link-lib=static:-bundle={UNWINDER}");
        }
    }
}

/// Whether the linker finds a library that becomes part of the binary.
fn is_installed(library: &str) -> bool {
    let file = format!("lib{library}.a");
    let linker = env::var_os("RUSTC_LINKER").unwrap_or("cc".into());
    let asked = Command::new(linker).arg(format!("-print-file-name={file}")).output();
    // Whoever has it says where it is, and repeats its name otherwise.
    asked.is_ok_and(|answer| answer.stdout.trim_ascii().len() > file.len())
}
