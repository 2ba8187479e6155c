import { Tooltip } from '@mantine/core';
import type { CSSProperties } from 'react';
import { text } from '../texts';
import { figure } from './amounts';
import styles from './TideBar.module.css';

export interface Tide {
    guarantee: number;
    /** Used by its own work, of its own. */
    own: number;
    /** Its own, used by others. */
    lent: number;
    /** Used by its own work, of others. */
    borrowed: number;
    /** GPUs that are waited for. */
    queued: number;
}

/** As wide as everything that may be shown. Neighbours that share it can be compared. */
export const tideScale = (all: readonly Tide[]) =>
    Math.max(1, ...all.map(one => Math.max(one.guarantee, one.own + one.lent) + one.borrowed));

const share = (part: number, scale: number): CSSProperties => ({
    width: `${Math.min(100, (100 * part) / scale)}%`,
});

/**
 * The bar of a quota. The outline is the guarantee; solid what its own work uses, hatched what it has lent, striped
 * beyond the outline what it has borrowed, a ghost behind it what waits.
 */
export function TideBar({ name, tide, scale }: { name: string; tide: Tide; scale?: number }) {
    const full = scale ?? tideScale([tide]);
    const outline = Math.max(tide.guarantee, 0);
    const label = text.common.tide.label(name, tide);
    return (
        <Tooltip label={<TideFigures tide={tide} />}>
            <div className={styles.bar} role="img" aria-label={label}>
                {tide.queued > 0 && (
                    <div
                        className={styles.ghost}
                        style={share(tide.own + tide.lent + tide.borrowed + tide.queued, full)}
                    />
                )}
                <div className={styles.outline} style={share(outline, full)}>
                    <div className={styles.own} style={share(tide.own, outline || 1)} />
                    <div className={styles.lent} style={share(tide.lent, outline || 1)} />
                </div>
                <div className={styles.borrowed} style={share(tide.borrowed, full)} />
            </div>
        </Tooltip>
    );
}

const PARTS = ['guarantee', 'own', 'lent', 'borrowed', 'queued'] as const;

function TideFigures({ tide }: { tide: Tide }) {
    return (
        <table className={styles.figures}>
            <tbody>
                {PARTS.map(part => (
                    <tr key={part}>
                        <th scope="row">
                            <span className={`${styles.key} ${styles[part] ?? ''}`} />{' '}
                            {text.common.tide[part]}
                        </th>
                        <td>{figure(tide[part])}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

/** What the patterns mean. `parts`: those that are shown, if not all are. */
export function TideLegend({ parts = PARTS }: { parts?: readonly (keyof Tide)[] }) {
    return (
        <ul className={styles.legend}>
            {parts.map(part => (
                <li key={part}>
                    <span className={`${styles.key} ${styles[part] ?? ''}`} aria-hidden="true" />{' '}
                    {text.common.tide[part]}
                </li>
            ))}
        </ul>
    );
}
