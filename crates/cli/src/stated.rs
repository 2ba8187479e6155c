//! An option whose value may also be that there is none.

/// Something that is stated, or taken away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stated<T> {
    Off,
    On(T),
}

impl<T: Clone> Stated<T> {
    pub(crate) fn value(&self) -> Option<T> {
        match self {
            Stated::Off => None,
            Stated::On(value) => Some(value.clone()),
        }
    }
}
