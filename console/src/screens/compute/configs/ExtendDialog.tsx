import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { dedicatedChanges, type ResourceConfig } from '../../../api/queries/dedicated';
import { text } from '../../../texts';
import { PreviewedDialog } from '../../../ui/PreviewedDialog';
import { local } from '../../../ui/time';
import { agreement } from '../describe';
import { MOVES } from './ConfigActions';

const words = text.compute.config;

/** A later end: a form, then its preview. */
export function ExtendDialog({ config, onClose }: { config: ResourceConfig; onClose(): void }) {
    const weekly = config.reserved?.weekly;
    const end = config.reserved?.end ?? config.byUsage?.until;
    const [value, setValue] = useState(weekly?.lastDay ?? (end == null ? '' : local(Date.parse(end))));
    return (
        <PreviewedDialog
            title={words.extendTitle(config.id)}
            fields={['/end', '/lastDay']}
            onClose={onClose}
            plan={() => {
                const body = weekly ? { lastDay: value } : { end: new Date(value).toISOString() };
                return {
                    confirm: words.extend,
                    about: agreement(config),
                    send: asked => dedicatedChanges.extend(config.id, body, asked),
                    moves: MOVES,
                };
            }}
        >
            {problem => (
                <TextInput
                    required
                    type={weekly ? 'date' : 'datetime-local'}
                    label={weekly ? words.lastDay : words.end}
                    value={value}
                    error={problem?.at(weekly ? '/lastDay' : '/end')}
                    onChange={event => setValue(event.currentTarget.value)}
                />
            )}
        </PreviewedDialog>
    );
}
