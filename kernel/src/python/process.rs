//! The memory of a process that is there for one piece of work.
#![allow(unsafe_code)]

use pyo3::prelude::*;

/// Below so many bytes memory comes from what the process has; the system's own 128 KiB rise with use. 32 MiB is the most.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const FROM_THE_SYSTEM: libc::c_int = 32 << 20;
/// So many bytes that are free are kept.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: libc::c_int = 128 << 20;

/// Keeps memory that is given back for what needs some next. Each block of a file is read into memory of its own, and the system
/// clears every page anew before it hands it out: 8 ms of a training of 125.
#[pyfunction]
pub fn keep_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: two settings of the allocator, which it reads under its own lock.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, FROM_THE_SYSTEM);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
    }
}
