//! Where a task runs: the pools that it names, and how much of each is in use.

use tidegate_engine::ids::QuotaId;

/// Means the shared pool.
pub const SHARED: &str = "default";
/// Pools that a task may name.
pub const MAX_NAMED: usize = 16;
/// Characters of the name of one.
pub const MAX_ID: usize = 63;

/// What a task asks for: pools of its own by id, and whether shared compute will do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    pub dedicated: Vec<Box<str>>,
    pub shared: bool,
}

/// A dedicated pool as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    pub id: Box<str>,
    pub quota: QuotaId,
    /// Of what it has, in thousandths.
    pub used: u32,
    /// No task is sent there once so much is used, in thousandths.
    pub cap: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route<'a> {
    Shared,
    Dedicated(&'a Pool),
}

/// Why a task goes nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoRoute {
    /// Not a list of ids.
    Malformed(String),
    /// There is no such pool, or none that the caller may use.
    Unknown(Box<str>),
    /// All that it names are used up to their caps.
    Full(Vec<Pool>),
}

impl std::fmt::Display for NoRoute {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoRoute::Malformed(why) => f.write_str(why),
            NoRoute::Unknown(id) => write!(f, "there is no resource config {id}"),
            NoRoute::Full(pools) => {
                let percent = |thousandths: u32| format!("{}.{} %", thousandths / 10, thousandths % 10);
                let each = pools.iter().map(|pool| {
                    format!("{} is used to {}, its cap is {}", pool.id, percent(pool.used), percent(pool.cap))
                });
                f.write_str(&each.collect::<Vec<_>>().join("; "))
            }
        }
    }
}

impl Wish {
    /// Reads a list such as `rc-1,rc-2,default`. Nothing at all is shared compute.
    pub fn parse(text: Option<&str>) -> Result<Wish, NoRoute> {
        let Some(text) = text else { return Ok(Wish { shared: true, ..Wish::default() }) };
        let malformed = |why: String| Err(NoRoute::Malformed(why));
        let mut wish = Wish::default();
        for id in text.split(',').map(str::trim) {
            if id.is_empty() {
                return malformed("a resource config has no name: write ids with commas between them".into());
            }
            if id.len() > MAX_ID || !id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)) {
                return malformed(format!("{id:?} is no id of a resource config"));
            }
            let again = match id {
                SHARED => std::mem::replace(&mut wish.shared, true),
                id => wish.dedicated.iter().any(|known| **known == *id),
            };
            if again {
                return malformed(format!("{id} is named twice"));
            }
            if id != SHARED {
                wish.dedicated.push(id.into());
            }
        }
        if wish.dedicated.len() > MAX_NAMED {
            return malformed(format!("{} resource configs are more than {MAX_NAMED}", wish.dedicated.len()));
        }
        Ok(wish)
    }

    /// The less used of the pools that it names and that have room; shared compute if none has and that will do.
    /// `pools` are those that the caller may use.
    pub fn route<'a>(&self, pools: &'a [Pool]) -> Result<Route<'a>, NoRoute> {
        let mut named = Vec::with_capacity(self.dedicated.len());
        for id in &self.dedicated {
            let pool = pools.iter().find(|pool| pool.id == *id);
            named.push(pool.ok_or_else(|| NoRoute::Unknown(id.clone()))?);
        }
        // Of equal ones, the one that was named first.
        let open = named.iter().filter(|pool| pool.used < pool.cap);
        match open.min_by_key(|pool| pool.used) {
            Some(pool) => Ok(Route::Dedicated(pool)),
            None if self.shared || named.is_empty() => Ok(Route::Shared),
            None => Err(NoRoute::Full(named.into_iter().cloned().collect())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pools() -> Vec<Pool> {
        let pool = |id: &str, quota, used| Pool { id: id.into(), quota: QuotaId(quota), used, cap: 800 };
        vec![pool("rc-a", 1, 700), pool("rc-b", 2, 300), pool("rc-c", 3, 300), pool("rc-full", 4, 800)]
    }

    fn routed(text: Option<&str>) -> Result<String, NoRoute> {
        let pools = pools();
        Wish::parse(text)?.route(&pools).map(|route| match route {
            Route::Shared => "shared".into(),
            Route::Dedicated(pool) => pool.id.to_string(),
        })
    }

    #[test]
    fn a_task_goes_to_the_less_used_of_what_it_names() {
        for (text, to) in [
            (None, "shared"),
            (Some("default"), "shared"),
            (Some("rc-a"), "rc-a"),
            (Some("rc-a,rc-b"), "rc-b"),
            (Some("rc-c, rc-b"), "rc-c"),
            (Some("rc-a,rc-b,default"), "rc-b"),
            (Some("default,rc-a"), "rc-a"),
            (Some("rc-full,default"), "shared"),
            (Some("rc-full,rc-a"), "rc-a"),
        ] {
            assert_eq!(routed(text).as_deref(), Ok(to), "{text:?}");
        }
    }

    #[test]
    fn when_all_are_full_each_is_named_with_its_use() {
        let full = routed(Some("rc-full")).expect_err("no room");
        assert_eq!(full.to_string(), "rc-full is used to 80.0 %, its cap is 80.0 %");
        assert_eq!(routed(Some("rc-a,rc-x")), Err(NoRoute::Unknown("rc-x".into())));
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for text in ["", " ", "rc-a,", ",rc-a", "rc a", "rc-a,rc-a", "default,default", "ä", &"x".repeat(64)]
        {
            assert!(matches!(routed(Some(text)), Err(NoRoute::Malformed(_))), "{text:?}");
        }
        let many: Vec<String> = (0..17).map(|n| format!("rc-{n}")).collect();
        assert!(matches!(Wish::parse(Some(&many.join(","))), Err(NoRoute::Malformed(_))));
        assert!(Wish::parse(Some(&many[1..].join(","))).is_ok());
    }
}
