//! Pages of lists.

use crate::limits::{DEFAULT_PAGE, MAX_PAGE, MAX_PAGE_TOKEN};
use crate::problem::{Code, Problem};
use crate::schema::{Text, text_type};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Where a list goes on. Opaque: what is in it may change at any time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PageToken(Box<str>);

impl PageToken {
    /// A token that carries `state`, a server's own note of where it was.
    pub fn of(state: &str) -> PageToken {
        let mut text = String::with_capacity(2 * state.len() + 2);
        text.push_str("p1");
        state.bytes().for_each(|byte| text.push_str(&format!("{byte:02x}")));
        PageToken(text.into())
    }

    /// The note that it carries. `None` if it is not a token of ours.
    pub fn state(&self) -> Option<String> {
        let hex = self.0.strip_prefix("p1")?.as_bytes();
        let digit = |b: u8| (b as char).to_digit(16).filter(|_| !b.is_ascii_uppercase());
        let pair = |pair: &[u8]| Some((digit(pair[0])? * 16 + digit(*pair.get(1)?)?) as u8);
        String::from_utf8(hex.chunks(2).map(pair).collect::<Option<Vec<u8>>>()?).ok()
    }
}

impl std::str::FromStr for PageToken {
    type Err = String;

    fn from_str(text: &str) -> Result<PageToken, String> {
        let token = PageToken(text.into());
        let ours = text.len() <= MAX_PAGE_TOKEN && token.state().is_some();
        if ours { Ok(token) } else { Err("this is not a page token that a list has answered".into()) }
    }
}

impl std::fmt::Display for PageToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

text_type!(PageToken);

impl Text for PageToken {
    const NAME: &str = "PageToken";
    const ABOUT: &str = "Where a list goes on. Opaque: give back what the last page answered.";
    const PATTERN: &str = "^p1([0-9a-f]{2})*$";
    const EXAMPLE: &str = "p1313030";
}

/// Which part of a list is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageQuery {
    /// Items of a page, 1 to 1000; 100 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_token: Option<PageToken>,
}

impl PageQuery {
    pub fn limit(&self) -> Result<usize, Problem> {
        match self.limit.unwrap_or(DEFAULT_PAGE) {
            limit @ 1..=MAX_PAGE => Ok(limit as usize),
            limit => Err(Problem::new(
                Code::BadParameter,
                format!("limit {limit} is not between 1 and {MAX_PAGE}"),
            )),
        }
    }
}
