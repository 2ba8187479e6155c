import { Badge, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { budgets } from '../../../api/queries/budgets';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { AnchorLink } from '../../../ui/links';
import { Section } from '../../../ui/Page';
import { BudgetBar } from './BudgetBar';
import styles from './Budgets.module.css';

const words = text.budgets;
/** More are on their own screen. */
const MOST = 3;

/** How far the budget of the chosen workspace has come, or those that have come furthest. Nothing without a budget. */
export function BudgetStrip() {
    const workspace = useWorkspace();
    const { data } = useQuery(budgets.list());
    const meant = data?.filter(one => workspace === undefined || one.workspace === workspace) ?? [];
    if (meant.length === 0) return null;
    const furthest = meant.toSorted((a, b) => (b.percent ?? 0) - (a.percent ?? 0)).slice(0, MOST);
    return (
        <Section title={words.thisMonth} actions={<AnchorLink to="/usage/budgets">{words.all}</AnchorLink>}>
            <div className={styles.strip}>
                {furthest.map(one => (
                    <div key={one.workspace}>
                        <div className={styles.whose}>
                            {one.workspace} {one.exhausted && <SpentBadge />}
                        </div>
                        <BudgetBar budget={one} />
                    </div>
                ))}
            </div>
        </Section>
    );
}

/** Nothing begins on shared compute any more. */
export function SpentBadge() {
    return (
        <Tooltip label={words.exhaustedHint}>
            <Badge color="coral" tabIndex={0}>
                {words.exhausted}
            </Badge>
        </Tooltip>
    );
}
