import { Alert, Anchor, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../../../api/client';
import { Problem } from '../../../api/problem';
import { fileAddress, hasEnded, tasks, type Task } from '../../../api/queries/tasks';
import { text } from '../../../texts';
import { bytes } from '../../../ui/amounts';
import { DataTable } from '../../../ui/DataTable';
import { JsonView } from '../../../ui/JsonView';
import { Section } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import type { Column } from '../../../ui/table';
import styles from './Task.module.css';

const words = text.tasks.detail;
type File = Schema<'TaskFile'>;

/** What it gave back: an answer, and files. */
export function ResultSections({ task }: { task: Task }) {
    const isOver = hasEnded(task.state);
    const { data, error, refetch } = useQuery({ ...tasks.result(task.id), enabled: isOver });
    if (!isOver)
        return (
            <Section title={words.output}>
                <span className={styles.quiet}>{words.pending}</span>
            </Section>
        );
    if (data === undefined)
        return (
            <Section title={words.output}>
                {error ? (
                    <ProblemAlert problem={Problem.from(error)} onRetry={() => void refetch()} />
                ) : (
                    <Skeleton height={80} />
                )}
            </Section>
        );
    // Whatever the generated type says, it may be any JSON, and is null where there is none.
    const output = data.output as unknown;
    return (
        <>
            <Section title={words.output}>
                {data.note != null && (
                    <Alert color="sand" mb="sm">
                        {data.note}
                    </Alert>
                )}
                {output === null ? (
                    <span className={styles.quiet}>{words.noOutput}</span>
                ) : (
                    <JsonView label={words.output} value={output} />
                )}
            </Section>
            {(data.files.length > 0 || data.note == null) && (
                <Section title={words.files}>
                    <DataTable
                        label={words.files}
                        columns={columns(task.id)}
                        rows={data.files}
                        rowKey={file => file.path}
                        empty={<span className={styles.quiet}>{words.noFiles}</span>}
                    />
                </Section>
            )}
        </>
    );
}

function columns(id: string): Column<File>[] {
    return [
        { id: 'path', header: words.file, cell: file => <code>{file.path}</code> },
        { id: 'size', header: words.size, align: 'right', width: '7rem', cell: file => bytes(file.size) },
        {
            id: 'get',
            header: words.download,
            hideHeader: true,
            align: 'right',
            width: '7rem',
            cell: file => (
                <Anchor
                    size="sm"
                    href={fileAddress(id, file.path)}
                    download={file.path.split('/').at(-1)}
                    aria-label={words.downloadOne(file.path)}
                >
                    {words.download}
                </Anchor>
            ),
        },
    ];
}
