import type { Schema } from '../../../api/client';
import { text } from '../../../texts';
import { Amount } from '../../../ui/Amount';
import styles from './Detail.module.css';

const words = text.workloads.detail.draws;

/** On whose account it runs. */
export function DrawsTable({ draws }: { draws: readonly Schema<'DrawStatus'>[] }) {
    if (draws.length === 0) return <span className={styles.muted}>{words.none}</span>;
    return (
        <table className={styles.table}>
            <thead>
                <tr>
                    <th scope="col">{words.account}</th>
                    <th scope="col">{words.amount}</th>
                    <th scope="col">{words.rule}</th>
                    <th scope="col">{words.claim}</th>
                </tr>
            </thead>
            <tbody>
                {draws.map((draw, index) => (
                    <tr key={index}>
                        <td>{draw.account}</td>
                        <td>
                            <Amount amounts={draw} />
                        </td>
                        <td>{draw.rule}</td>
                        <td title={text.workloads.detail.classesAbout[draw.class]}>
                            {text.workloads.detail.classes[draw.class]}
                        </td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}
