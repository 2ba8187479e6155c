const LINK = /^#\/invitation\/(.+)$/;
let kept: string | undefined;

/**
 * Takes the secret of a one-time link out of the address, so that it stays in no history and goes to no server by
 * itself. Whether there was one.
 */
export function takeInvitation(): boolean {
    const secret = LINK.exec(window.location.hash)?.[1];
    if (secret === undefined) return false;
    kept = decodeURIComponent(secret);
    window.history.replaceState(null, '', '/invitation');
    return true;
}

export function keptInvitation(): string | undefined {
    return kept;
}
