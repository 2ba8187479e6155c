/** Line icons, drawn on a grid of 24. Decoration: what they mean is said beside them. */
const PATHS = {
    overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-4H4zM14 8h6V4h-6z',
    quotas: 'M12 4v5M12 9H6v4M12 9h6v4M3 13h6v6H3zM15 13h6v6h-6z',
    workloads: 'M4 6h16M4 12h10M4 18h13',
    center: 'M4 7h9M17 7h3M4 17h3M11 17h9M13 5v4M7 15v4',
    nodes: 'M4 5h16v6H4zM4 13h16v6H4zM8 8h.01M8 16h.01',
    whatIf: 'M5 4v16M5 6c6-4 8 4 14 0v9c-6 4-8-4-14 0',
    administration: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-5 4-7 8-7s8 2 8 7',
    tasks: 'M5 4h14v16H5zM9 9l2 2 4-4M9 16h6',
    usage: 'M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6',
    compute: 'M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4',
    chevron: 'M9 6l6 6-6 6',
    collapse: 'M6 9l6 6 6-6',
    close: 'M6 6l12 12M18 6L6 18',
    check: 'M5 12l5 5 9-10',
    start: 'M6 21V4M6 5h11l-2 4 2 4H6',
    sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2',
    moon: 'M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10z',
    auto: 'M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18',
    plus: 'M12 5v14M5 12h14',
    minus: 'M5 12h14',
    dots: 'M4.5 12a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0M11.5 12a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0M18.5 12a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0',
    search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L20 20',
    warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
    arrow: 'M5 12h14M13 6l6 6-6 6',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
    return (
        <svg
            width={size}
            height={size}
            viewBox="0 0 24 24"
            fill="none"
            stroke="currentColor"
            strokeWidth={1.8}
            strokeLinecap="round"
            strokeLinejoin="round"
            aria-hidden="true"
            focusable="false"
        >
            <path d={PATHS[name]} />
        </svg>
    );
}
