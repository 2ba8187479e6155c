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
        return new Map(
            value == null ? [] : [[path, Array.isArray(value) ? value.join(', ') : String(value)]],
        );
    }
    const all = new Map<string, string>();
    for (const [key, inner] of Object.entries(value)) {
        leaves(inner, path === '' ? key : `${path}.${key}`).forEach((leaf, at) => all.set(at, leaf));
    }
    return all;
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
