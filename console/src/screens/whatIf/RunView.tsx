import { Button, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { Run } from '../../api/queries/simulations';
import { text } from '../../texts';
import { Section } from '../../ui/Page';
import { BooksTable } from './BooksTable';
import { subject, withoutPassing } from './describe';
import { EventList } from './EventList';
import styles from './RunView.module.css';
import { timelineOf } from './timeline';
import { TimelineView } from './TimelineView';

const words = text.whatIf.result;

interface Props {
    run: Run;
    /** The text has changed since, and could not be read. */
    isOld: boolean;
    chosen: string | undefined;
    onChoose(name: string | undefined): void;
}

/** What became of a scenario: bars over time, what happened in order, the books at the end. */
export function RunView({ run, isOld, chosen, onChoose }: Props) {
    const timeline = useMemo(() => timelineOf(run), [run]);
    const isThere = chosen !== undefined && run.events.some(event => subject(event) === chosen);
    const events = useMemo(() => {
        const all = withoutPassing(run.events);
        return isThere ? all.filter(event => subject(event) === chosen || event.by === chosen) : all;
    }, [run, chosen, isThere]);
    if (run.events.length === 0 && timeline.lanes.length === 0) {
        return (
            <Section title={words.timeline}>
                <Text size="sm" c="dimmed">
                    {words.empty}
                </Text>
            </Section>
        );
    }
    return (
        <div className={styles.run} data-old={isOld}>
            <Section
                title={words.timeline}
                actions={
                    <Text size="xs" c="dimmed" role="status">
                        {isOld ? words.old : words.runs(timeline.lanes.length, run.events.length)}
                    </Text>
                }
            >
                <TimelineView timeline={timeline} chosen={isThere ? chosen : undefined} onChoose={onChoose} />
            </Section>
            <Section
                title={words.events}
                actions={
                    isThere && (
                        <Button variant="default" size="compact-xs" onClick={() => onChoose(undefined)}>
                            {words.all}
                        </Button>
                    )
                }
            >
                <EventList key={chosen} events={events} />
            </Section>
            {run.final.books.length > 0 && (
                <Section title={words.books}>
                    <BooksTable books={run.final.books} />
                </Section>
            )}
        </div>
    );
}
