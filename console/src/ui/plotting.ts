import type uPlot from 'uplot';

const hourFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const DAY_S = 86_400;

/** `14:05`, or `15 Nov` where a day begins or days are counted. */
export function instants(_: uPlot, times: number[], __: number, ___: number, step: number): string[] {
    const hour = (time: number) => hourFormat.format(time * 1000);
    return times.map(time =>
        step >= DAY_S || hour(time) === '00:00' ? dayFormat.format(time * 1000) : hour(time),
    );
}

/** `15 Nov 14:05`. */
export const moment = (time: number) => `${dayFormat.format(time * 1000)} ${hourFormat.format(time * 1000)}`;

/** A canvas knows no CSS variables: the browser resolves them on an element. */
export function resolveColor(element: HTMLElement, name: string): string {
    const probe = document.createElement('span');
    probe.style.color = `var(${name})`;
    element.append(probe);
    const color = getComputedStyle(probe).color;
    probe.remove();
    return color;
}
