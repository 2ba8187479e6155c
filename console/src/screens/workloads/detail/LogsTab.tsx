import { Button, Switch, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Workload } from '../../../api/queries/workloads';
import { text } from '../../../texts';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import styles from './Detail.module.css';
import { LogView } from './LogView';
import { ReplicaSelect } from './ReplicaSelect';
import { MOST_LINES, useOutput } from './useOutput';

const words = text.workloads.detail.logs;

/** What it writes, as it writes it. */
export function LogsTab({ workload }: { workload: Workload }) {
    const { uid, name } = workload.metadata;
    const { replica } = useSearch({ from: '/app/workloads/$workload' });
    const { lines, state, problem, dropped } = useOutput(uid, replica);
    const [follows, setFollows] = useState(true);
    const isSeveral = replica === undefined && workload.status.replicas.wanted > 1;
    const query = replica === undefined ? '' : `?replica=${replica}`;
    const note = state === 'lost' ? words.lost : state === 'over' ? words.over : undefined;
    return (
        <>
            <div className={styles.bar}>
                <ReplicaSelect workload={workload} />
                <Switch
                    label={words.follow}
                    checked={follows}
                    onChange={event => setFollows(event.currentTarget.checked)}
                />
                <Button
                    variant="default"
                    component="a"
                    href={`/api/v1/workloads/${encodeURIComponent(uid)}/logs${query}`}
                    download={`${name}.log`}
                >
                    {words.download}
                </Button>
                {!problem && note !== undefined && (
                    <Text size="sm" c="dimmed" role="status">
                        {note}
                    </Text>
                )}
            </div>
            <ProblemAlert problem={problem} />
            {dropped > 0 && (
                <Text size="xs" c="dimmed">
                    {words.cut(MOST_LINES)}
                </Text>
            )}
            {lines.length > 0 ? (
                <LogView lines={lines} isSeveral={isSeveral} follows={follows} onFollows={setFollows} />
            ) : (
                !problem && (
                    <Text size="sm" c="dimmed">
                        {words.waiting}
                    </Text>
                )
            )}
        </>
    );
}
