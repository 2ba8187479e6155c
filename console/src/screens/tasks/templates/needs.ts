import type { TemplateSpec } from '../../../api/queries/tasks';
import { text } from '../../../texts';
import { bytes, figure } from '../../../ui/amounts';

const words = text.common.amount;

/** What one task of a template takes: `1 GPU, 4 CPU, 8 GiB`; what is not said is the server's to choose. */
export function needs({ resources }: Pick<TemplateSpec, 'resources'>): string {
    const parts = [
        (resources?.gpu ?? 0) === 0 ? undefined : `${figure(resources?.gpu ?? 0)} ${words.gpu}`,
        resources?.cpu == null ? undefined : `${figure(resources.cpu)} ${words.cpu}`,
        resources?.memory == null
            ? undefined
            : typeof resources.memory === 'number'
              ? bytes(resources.memory)
              : resources.memory,
    ];
    return parts.filter(part => part !== undefined).join(', ');
}
