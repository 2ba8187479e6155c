import { Radio, Stack } from '@mantine/core';
import type { Mode } from '../../api/queries/quotas';
import { text } from '../../texts';

const words = text.quotas.mode;
const MODES: readonly Mode[] = ['refuse', 'drain', 'evict'];

/** What happens to work in the way when an account shrinks. */
export function ModeField({ value, onChange }: { value: Mode; onChange(mode: Mode): void }) {
    return (
        <Radio.Group label={words.label} value={value} onChange={mode => onChange(mode as Mode)}>
            <Stack gap={6} mt={6}>
                {MODES.map(mode => (
                    <Radio key={mode} value={mode} label={words[mode].name} description={words[mode].about} />
                ))}
            </Stack>
        </Radio.Group>
    );
}
