import { Button } from '@mantine/core';
import { useState } from 'react';
import type { SimEvent } from '../../api/queries/simulations';
import { text } from '../../texts';
import { BooksTable } from './BooksTable';
import { clock, details, sentences, subject } from './describe';
import styles from './EventList.module.css';

/** So many are drawn at first, and with each wish for more. */
const STEP = 200;

/** What happens, in order. Explanations, previews and books stand below the line that asked for them. */
export function EventList({ events }: { events: readonly SimEvent[] }) {
    const [most, setMost] = useState(STEP);
    return (
        <>
            <ol className={styles.events}>
                {events.slice(0, most).map((event, index) => (
                    <EventLine
                        key={index}
                        event={event}
                        time={index > 0 && events[index - 1]?.at === event.at ? undefined : event.at}
                    />
                ))}
            </ol>
            {events.length > most && (
                <Button variant="default" mt="sm" onClick={() => setMost(most + STEP)}>
                    {text.whatIf.result.more(events.length - most)}
                </Button>
            )}
        </>
    );
}

/** `time`: `undefined` where the line before has the same. */
function EventLine({ event, time }: { event: SimEvent; time: number | undefined }) {
    const below = sentences(event);
    return (
        <li data-event={event.event}>
            <span className={styles.time}>{time === undefined ? '' : clock(time)}</span>
            <div className={styles.what}>
                <strong>{subject(event)}</strong> <span className={styles.word}>{event.event}</span>{' '}
                <span className={styles.details}>{details(event)}</span>
                {below.length > 0 && (
                    <ul className={styles.below}>
                        {below.map((sentence, index) => (
                            <li key={index}>{sentence}</li>
                        ))}
                    </ul>
                )}
                {event.would && (
                    <ol className={styles.events}>
                        {event.would.map((one, index) => (
                            <EventLine key={index} event={one} time={undefined} />
                        ))}
                    </ol>
                )}
                {event.books && <BooksTable books={event.books} />}
            </div>
        </li>
    );
}
