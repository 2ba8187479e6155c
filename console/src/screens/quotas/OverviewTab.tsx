import { useQuery } from '@tanstack/react-query';
import { quotas, type Quota } from '../../api/queries/quotas';
import { text } from '../../texts';
import { Amount } from '../../ui/Amount';
import { figure, gpuOf } from '../../ui/amounts';
import { Facts } from '../../ui/Facts';
import { Section } from '../../ui/Page';
import { RelativeTime } from '../../ui/RelativeTime';
import { every } from '../../ui/tree';
import { HistoryList } from './HistoryList';
import { quotaRows } from './model';
import { PolicyForm } from './PolicyForm';
import styles from './OverviewTab.module.css';

const words = text.quotas.overview;

/** What it is, the arithmetic of its share, its policies, and what became of it. */
export function OverviewTab({ quota }: { quota: Quota }) {
    const { status, spec, metadata } = quota;
    return (
        <div className={styles.stack}>
            <Section title={words.facts}>
                <Facts
                    facts={[
                        [words.state, text.quotas.state[status.state]],
                        [words.parent, spec.parent ?? words.root],
                        [words.pool, status.pool],
                        [words.workspaces, status.workspaces?.join(', ') || text.common.none],
                        [words.children, status.children.join(', ') || text.common.none],
                        [words.created, <RelativeTime key="created" at={metadata.createdAt} />],
                    ]}
                />
            </Section>
            <ShareArithmetic quota={quota} />
            {/* A new version is another form: what was typed belongs to the version that it was typed over. */}
            <PolicyForm quota={quota} />
            <HistoryList name={metadata.name} />
        </div>
    );
}

/** Guarantee, less the children's, is the share; less what is drawn and held, the balance. */
function ShareArithmetic({ quota }: { quota: Quota }) {
    const tree = useQuery(quotas.tree());
    const { status, spec, metadata } = quota;
    const node = every(quotaRows(tree.data?.roots ?? [])).find(one => one.id === metadata.name);
    const lines: [sign: string, name: string, gpus: number][] = [
        ['', words.guarantee, gpuOf(spec.guarantee)],
        ...(node?.children ?? []).map(
            child => ['−', child.id, gpuOf(child.row.quota.spec.guarantee)] as [string, string, number],
        ),
        ['=', words.share, gpuOf(status.share)],
        ['−', words.drawn, gpuOf(status.drawn.total)],
        ...(gpuOf(status.held) === 0
            ? []
            : [['−', words.held, gpuOf(status.held)] as [string, string, number]]),
        ['=', words.balance, gpuOf(status.balance)],
    ];
    return (
        <Section title={words.arithmetic}>
            <table className={styles.sum}>
                <tbody>
                    {lines.map(([sign, name, gpus], index) => (
                        <tr key={index} data-result={sign === '=' || undefined}>
                            <td aria-hidden="true">{sign}</td>
                            <th scope="row">{name}</th>
                            <td>{figure(gpus)}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
            <p className={styles.note}>
                {words.lentNow} <Amount amounts={status.lent} /> · {words.borrowedNow}{' '}
                <Amount amounts={status.borrowed} />
                {gpuOf(status.reserved) > 0 && (
                    <>
                        {' · '}
                        {words.reserved} <Amount amounts={status.reserved} />
                    </>
                )}
                {gpuOf(status.inTransit) > 0 && (
                    <>
                        {' · '}
                        {words.inTransit} <Amount amounts={status.inTransit} />
                    </>
                )}
            </p>
        </Section>
    );
}
