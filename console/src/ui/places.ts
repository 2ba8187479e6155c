/**
 * Where rows are drawn, by their keys. Rows that were drawn before stay where they are, others take places that have
 * become free: building a row anew costs more than to write another into it.
 */
export function nextPlaces(
    before: ReadonlyMap<string, number>,
    drawn: readonly string[],
): ReadonlyMap<string, number> {
    const places = new Map<string, number>();
    const taken = new Set<number>();
    for (const key of drawn) {
        const place = before.get(key);
        if (place === undefined || taken.has(place)) continue;
        places.set(key, place);
        taken.add(place);
    }
    let free = 0;
    for (const key of drawn) {
        if (places.has(key)) continue;
        while (taken.has(free)) free += 1;
        places.set(key, free);
        taken.add(free);
    }
    return places;
}
