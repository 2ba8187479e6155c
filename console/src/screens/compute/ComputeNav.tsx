import { text } from '../../texts';
import { SectionNav } from '../../ui/SectionNav';

const { nav, sections } = text.compute;

/** From what there is to what was asked for, and back. */
export function ComputeNav() {
    return (
        <SectionNav
            label={nav}
            sections={[
                { to: '/compute', label: sections.configs, isExact: true },
                { to: '/compute/requests', label: sections.requests },
            ]}
        />
    );
}
