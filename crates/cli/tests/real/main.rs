//! Real work on a real machine: the binary, its supervisors, and processes that behave badly.

mod apart;
mod disk;
mod faults;
mod idle;
mod kills;
mod lab;
mod restarts;
mod samples;
mod upgrade;
mod warm;
