import { text } from '../../texts';
import { figure } from '../../ui/amounts';
import cells from './DeviceCell.module.css';
import type { Counts, GridNode } from './grid';
import styles from './GridLegend.module.css';

const words = text.overview;
const MODULES = ['service', 'training', 'notebook', 'task'] as const;
const NODES = ['cordoned', 'lost'] as const;
const STATES = ['leaving', 'held', 'free', 'idle', 'out'] as const;

interface Props {
    nodes: readonly GridNode[];
    counts: Counts;
    seesPool: boolean;
}

/** What the colors and patterns mean, with how many GPUs there are of each. States that do not occur are left out. */
export function GridLegend({ nodes, counts, seesPool }: Props) {
    const inState = (state: GridNode['state']) => nodes.filter(node => node.state === state).length;
    return (
        <ul className={styles.legend}>
            {MODULES.map(module => (
                <li key={module}>
                    <span className={cells.key} aria-hidden="true">
                        <span className={cells.part} data-module={module} data-state="running" />
                    </span>
                    {words.modules[module]}
                </li>
            ))}
            {STATES.filter(state => (state === 'free' ? seesPool : counts[state] > 0)).map(state => (
                <li key={state}>
                    <span className={cells.key} data-key={state} aria-hidden="true">
                        <span className={cells.part} data-state={state} />
                    </span>
                    {figure(counts[state])} {words.counts[state]}
                </li>
            ))}
            {NODES.map(state => ({ state, count: inState(state) }))
                .filter(({ count }) => count > 0)
                .map(({ state, count }) => (
                    <li key={state}>
                        <span className={styles.node} data-state={state} aria-hidden="true">
                            {words.grid.sign[state]}
                        </span>
                        {words.counts[state](count)}
                    </li>
                ))}
        </ul>
    );
}
