//! Bars of text: how much of something is used, and for what.

/// Parts of a whole in `width` characters: each part has its own mark, the rest is dots. What is there shows: a part
/// above nothing has one character at least, as long as there is room.
pub(crate) fn bar(width: usize, whole: i64, parts: &[(i64, char)]) -> String {
    let mut text = String::new();
    let mut left = width;
    for (amount, mark) in parts.iter().filter(|(amount, _)| *amount > 0) {
        let share = if whole <= 0 { width as i64 } else { (amount * width as i64 + whole / 2) / whole };
        let count = (share.max(1) as usize).min(left);
        text.extend(std::iter::repeat_n(*mark, count));
        left -= count;
    }
    text.extend(std::iter::repeat_n('.', left));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_width() {
        assert_eq!(bar(10, 80, &[(40, '#'), (16, '+')]), "#####++...");
        assert_eq!(bar(4, 100, &[(1, '#')]), "#...");
        assert_eq!(bar(4, 8, &[(8, '#'), (8, '!')]), "####");
        assert_eq!(bar(4, 0, &[]), "....");
    }
}
