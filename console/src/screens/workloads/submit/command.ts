/** Words as a shell would take them apart: quotes and backslashes, and nothing else of a shell. */
export function splitCommand(line: string): { words: string[]; isOpen: boolean } {
    const words: string[] = [];
    let word: string | undefined;
    let quote: string | undefined;
    for (let at = 0; at < line.length; at += 1) {
        const char = line.charAt(at);
        if (quote !== undefined) {
            if (char === quote) quote = undefined;
            else if (char === '\\' && quote === '"' && '"\\'.includes(line.charAt(at + 1)))
                word += line.charAt((at += 1));
            else word += char;
        } else if (/\s/.test(char)) {
            if (word !== undefined) words.push(word);
            word = undefined;
        } else if (char === '"' || char === "'") {
            quote = char;
            word ??= '';
        } else if (char === '\\' && at + 1 < line.length) {
            word = (word ?? '') + line.charAt((at += 1));
        } else {
            word = (word ?? '') + char;
        }
    }
    if (word !== undefined) words.push(word);
    return { words, isOpen: quote !== undefined };
}

/** A line that is taken apart into these words again. */
export function joinCommand(words: readonly string[]): string {
    return words
        .map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
        .join(' ');
}
