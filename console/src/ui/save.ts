/** Hands a text to whoever sits in front of the browser, as a file. */
export function save(name: string, content: string, type = 'text/csv'): void {
    const url = URL.createObjectURL(new Blob([content], { type }));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    URL.revokeObjectURL(url);
}
