const KEY = 'tidegate.scenario';

/** What was written last in this browser. */
export function keptScenario(): string | undefined {
    try {
        return window.localStorage.getItem(KEY) ?? undefined;
    } catch {
        // A browser may refuse to keep things; then a reload begins anew.
        return undefined;
    }
}

export function keepScenario(text: string): void {
    try {
        window.localStorage.setItem(KEY, text);
    } catch {
        // As above.
    }
}
