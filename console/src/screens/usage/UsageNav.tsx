import { text } from '../../texts';
import { SectionNav } from '../../ui/SectionNav';

const { nav, sections } = text.usage;

/** From what was used to what it costs, and back. */
export function UsageNav() {
    return (
        <SectionNav
            label={nav}
            sections={[
                { to: '/usage', label: sections.usage, isExact: true },
                { to: '/usage/records', label: sections.records },
                { to: '/usage/bills', label: sections.bills },
                { to: '/usage/budgets', label: sections.budgets },
                { to: '/usage/advice', label: sections.advice },
                { to: '/usage/prices', label: sections.prices },
                { to: '/usage/corrections', label: sections.corrections },
            ]}
        />
    );
}
