import { TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Problem } from '../../../api/problem';
import { dedicatedChanges, type ResourceConfig } from '../../../api/queries/dedicated';
import { text } from '../../../texts';
import { ChangeForm } from '../../../ui/ChangeForm';
import { PreviewDialog, type PlannedChange } from '../../../ui/PreviewDialog';
import { local } from '../../../ui/time';
import { agreement } from '../describe';
import { MOVES } from './ConfigActions';

const words = text.compute.config;

/** A later end: a form, then its preview. */
export function ExtendDialog({ config, onClose }: { config: ResourceConfig; onClose(): void }) {
    const weekly = config.reserved?.weekly;
    const end = config.reserved?.end ?? config.byUsage?.until;
    const [value, setValue] = useState(weekly?.lastDay ?? (end == null ? '' : local(Date.parse(end))));
    const [problem, setProblem] = useState<Problem>();
    const [isPreviewed, setPreviewed] = useState(false);
    const change = useMemo<PlannedChange | undefined>(() => {
        if (!isPreviewed) return undefined;
        const body = weekly ? { lastDay: value } : { end: new Date(value).toISOString() };
        return {
            title: words.extendTitle(config.id),
            confirm: words.extend,
            about: agreement(config),
            send: asked => dedicatedChanges.extend(config.id, body, asked),
            moves: MOVES,
        };
    }, [isPreviewed]);
    return (
        <>
            <ChangeForm
                opened={!isPreviewed}
                title={words.extendTitle(config.id)}
                problem={problem}
                fields={['/end', '/lastDay']}
                onClose={onClose}
                onSubmit={() => {
                    setProblem(undefined);
                    setPreviewed(true);
                }}
            >
                <TextInput
                    required
                    type={weekly ? 'date' : 'datetime-local'}
                    label={weekly ? words.lastDay : words.end}
                    value={value}
                    error={problem?.at(weekly ? '/lastDay' : '/end')}
                    onChange={event => setValue(event.currentTarget.value)}
                />
            </ChangeForm>
            <PreviewDialog
                change={change}
                onClose={() => setPreviewed(false)}
                onDone={onClose}
                onProblem={refused => {
                    setProblem(refused);
                    setPreviewed(false);
                }}
            />
        </>
    );
}
