import type { ReactNode } from 'react';
import type { Template } from '../../../api/queries/tasks';
import { text } from '../../../texts';
import { bytes, figure } from '../../../ui/amounts';
import { Facts } from '../../../ui/Facts';
import { RelativeTime } from '../../../ui/RelativeTime';
import { joinCommand } from '../../workloads/submit/command';
import { writePairs } from '../../workloads/submit/pairs';
import { needs } from './needs';

const words = text.templates.detail;
const names = words.facts;
const size = (memory: string | number) => (typeof memory === 'number' ? bytes(memory) : memory);

/** What the version that is shown says. */
export function TemplateFacts({ template: { spec, status } }: { template: Template }) {
    const made = status.versions.find(one => one.version === status.version);
    const facts: [string, ReactNode][] = [
        [names.room, spec.workspace ?? text.templates.everybody],
        [names.command, (spec.command?.length ?? 0) > 0 && <code>{joinCommand(spec.command ?? [])}</code>],
        [names.env, (writePairs(spec.env) && <code>{writePairs(spec.env)}</code>) || undefined],
        [names.resources, needs(spec)],
        [names.models, spec.gpuModels?.join(', ') || words.defaults.models],
        [names.maxRunTime, spec.maxRunTime ?? words.defaults.maxRunTime],
        [names.retries, figure(spec.retries ?? 0)],
        [names.outputLimit, size(spec.outputLimit ?? words.defaults.outputLimit)],
        [names.filesLimit, size(spec.filesLimit ?? words.defaults.filesLimit)],
        [names.workers, spec.warm && words.warm(spec.warm.workers, spec.warm.idleTimeout ?? undefined)],
        [names.updated, made && <RelativeTime at={made.createdAt} />],
    ];
    return <Facts facts={facts.filter(([, value]) => value != null && value !== false && value !== '')} />;
}
