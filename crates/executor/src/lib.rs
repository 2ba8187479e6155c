//! Makes decisions real: the contract of executors, and the virtual one.
