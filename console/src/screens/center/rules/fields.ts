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
