//! GPUs that are not clean, with real processes on GPUs that are not there.

mod common;

use common::{Server, until};

#[test]
fn work_goes_to_another_gpu_when_one_is_not_clean() {
    let server = Server::with(&["--executor", "local", "--virtual-gpus", "1x2"]);
    let faults = server.data().join("faults");
    std::fs::create_dir_all(&faults).expect("a directory");
    std::fs::write(faults.join("local-0.0"), "its memory was not given back").expect("a file");
    let job = ["submit", "--name", "a", "--gpus", "1", "--", "sh", "-c", "echo sees $CUDA_VISIBLE_DEVICES"];
    server.run(&job).ok();
    server.wait_for("a", "finished");
    let uid = server.run(&["show", "a", "-o", "json"]).json()["metadata"]["uid"].clone();
    let number = uid.as_str().and_then(|uid| uid.strip_prefix("w-")).expect("a number");
    let log = std::fs::read_to_string(server.data().join("logs").join(number).join("0.log"));
    assert_eq!(log.expect("what it said"), "sees 1\n");
    let node = server.run(&["node", "show", "local-0"]).ok();
    assert!(node.contains("0: out of service: its memory was not given back"), "{node}");
    assert!(server.run(&["node", "list"]).ok().contains("GPU 0 out of service"));
    // Mended, and trusted again.
    std::fs::remove_file(faults.join("local-0.0")).expect("it was there");
    server.run(&["node", "restore", "local-0", "0"]).ok();
    let both = ["submit", "--name", "b", "--gpus", "2", "--", "sh", "-c", "exit 0"];
    server.run(&both).ok();
    server.wait_for("b", "finished");
    server.run(&["node", "restore", "local-0", "0"]).fails(4, "GPU 0 of local-0");
    until(|| server.run(&["node", "show", "local-0"]).ok().contains("0: free").then_some(()));
}
