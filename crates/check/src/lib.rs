//! Verifies what the engine does, from its events alone.
