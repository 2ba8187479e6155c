import { Text } from '@mantine/core';
import type { Budget } from '../../../api/queries/budgets';
import { text } from '../../../texts';
import { exact } from '../../../ui/time';
import { hasLabel, levelOf, placeOf, THRESHOLDS } from './bar';
import styles from './Budgets.module.css';

const words = text.budgets;

/** How much of a budget is spent, with the parts that people are told of. */
export function BudgetBar({ budget }: { budget: Budget }) {
    const { workspace, amount, currency, spent, percent, alerts, problem } = budget;
    if (spent == null || percent == null)
        return (
            <Text size="sm" c="dimmed" title={problem ?? undefined}>
                {words.unknown}
                {problem != null && `: ${problem}`}
            </Text>
        );
    const said = words.spent(spent, amount, currency);
    return (
        <div className={styles.spent} data-level={levelOf(percent)}>
            <div className={styles.figures}>
                <span>{said}</span> <strong>{words.percent(percent)}</strong>
            </div>
            <div className={styles.bar} role="img" aria-label={words.label(workspace, said, percent)}>
                <div
                    className={styles.fill}
                    style={{ width: `${placeOf(Math.max(0, percent), percent)}%` }}
                />
                {THRESHOLDS.map(one => (
                    <div key={one} className={styles.mark} style={{ left: `${placeOf(one, percent)}%` }} />
                ))}
            </div>
            <ol className={styles.marks}>
                {THRESHOLDS.filter(one => hasLabel(one, percent)).map(one => {
                    const told = alerts.find(alert => alert.percent === one);
                    return (
                        <li
                            key={one}
                            style={{ left: `${placeOf(one, percent)}%` }}
                            data-told={told !== undefined}
                            title={told && exact(Date.parse(told.at))}
                        >
                            {one} %
                        </li>
                    );
                })}
            </ol>
        </div>
    );
}
