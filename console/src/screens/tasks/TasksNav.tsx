import { text } from '../../texts';
import { SectionNav } from '../../ui/SectionNav';

const words = text.tasks;

/** From tasks to templates and back. */
export function TasksNav() {
    return (
        <SectionNav
            label={words.nav}
            sections={[
                { to: '/tasks', label: words.sections.tasks, isExact: true },
                { to: '/tasks/templates', label: words.sections.templates },
            ]}
        />
    );
}
