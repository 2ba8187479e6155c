/** A key for one submission of one body: the same body is sent again with the same key. */
export function newKey(): string {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte =>
        byte.toString(16).padStart(2, '0'),
    ).join('');
}
