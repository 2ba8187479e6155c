//! Virtual time: the scenario language, seeded faults, reports.
