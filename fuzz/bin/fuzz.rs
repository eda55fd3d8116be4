//! The program that libFuzzer drives. `fuzz/run` builds and starts it.
#![no_main]

use std::sync::OnceLock;
use tamis_fuzz::{Target, find};

static TARGET: OnceLock<Target> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let target = TARGET.get_or_init(|| {
        let name = std::env::var("TAMIS_FUZZ_TARGET").expect("TAMIS_FUZZ_TARGET names the target");
        find(&name).expect("a target of this name")
    });
    target(bytes);
});
