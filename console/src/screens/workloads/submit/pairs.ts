/** `KEY=value`, one per line. `wrong`: the number of the first line that is not. */
export function readPairs(text: string): { pairs: Record<string, string>; wrong?: number } {
    const pairs: Record<string, string> = {};
    let wrong: number | undefined;
    text.split('\n').forEach((line, index) => {
        if (line.trim() === '') return;
        const equals = line.indexOf('=');
        if (equals < 1) wrong ??= index + 1;
        else pairs[line.slice(0, equals).trim()] = line.slice(equals + 1);
    });
    return { pairs, wrong };
}

export function writePairs(pairs: Record<string, string> | undefined): string {
    return Object.entries(pairs ?? {})
        .map(([key, value]) => `${key}=${value}`)
        .join('\n');
}
