export interface Difference {
    /** Where: `preemption.childLevel.victims.priorities`. */
    path: string;
    before: string;
    theirs: string;
    mine: string;
}

/** Leaves of a value by their path. A list is one leaf. */
function leaves(value: unknown, path = ''): Map<string, string> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return new Map(value == null ? [] : [[path, leaf(value)]]);
    }
    const all = new Map<string, string>();
    for (const [key, inner] of Object.entries(value)) {
        leaves(inner, path === '' ? key : `${path}.${key}`).forEach((leaf, at) => all.set(at, leaf));
    }
    return all;
}

/** One value in a line: items of a list apart, fields of an item beside each other. */
function leaf(value: unknown): string {
    if (Array.isArray(value)) {
        const isPlain = value.every(item => typeof item !== 'object');
        return value.map(leaf).join(isPlain ? ', ' : '; ');
    }
    if (typeof value !== 'object' || value === null) return String(value);
    return Object.entries(value)
        .filter(([, inner]) => inner != null)
        .map(([key, inner]) => `${key} ${leaf(inner)}`)
        .join(', ');
}

/** Where two versions differ, with what both came from. */
export function differences(before: unknown, theirs: unknown, mine: unknown): Difference[] {
    const [was, there, here] = [leaves(before), leaves(theirs), leaves(mine)];
    const paths = [...new Set([...was.keys(), ...there.keys(), ...here.keys()])];
    const all = paths.map(path => ({
        path,
        before: was.get(path) ?? '',
        theirs: there.get(path) ?? '',
        mine: here.get(path) ?? '',
    }));
    return all.filter(one => one.theirs !== one.mine);
}
