import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import styles from './PathLink.module.css';

interface Props {
    path: string;
    children: ReactNode;
    title?: string;
    /** The Tab key passes it by, where another way leads there. */
    isPassed?: boolean;
}

/** A link by the path alone, for what stands in many lines. */
export function PathLink({ path, children, title, isPassed = false }: Props) {
    return (
        <Link className={styles.link} to={path} title={title} tabIndex={isPassed ? -1 : undefined}>
            {children}
        </Link>
    );
}

/** Addresses of things, by their names. */
export const pathOf = {
    workload: (nameOrUid: string) => `/workloads/${encodeURIComponent(nameOrUid)}`,
    quota: (name: string) => `/quotas/${encodeURIComponent(name)}`,
    task: (id: string) => `/tasks/${encodeURIComponent(id)}`,
    node: (name: string) => `/nodes/${encodeURIComponent(name)}`,
};
