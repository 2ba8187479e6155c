import type { Problem } from '../../../api/problem';
import type { Draft } from './draft';

/** What every part of the form gets. */
export interface FieldsProps {
    draft: Draft;
    problem?: Problem;
    roles: readonly string[];
    members: readonly string[];
    set(part: Partial<Draft>): void;
}

/** Changes one line of a list. */
export function replaced<Line>(lines: readonly Line[], index: number, part: Partial<Line>): Line[] {
    return lines.map((line, at) => (at === index ? { ...line, ...part } : line));
}

export function without<Line>(lines: readonly Line[], index: number): Line[] {
    return lines.filter((_, at) => at !== index);
}
