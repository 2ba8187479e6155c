import { Modal } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { text } from '../texts';
import { ConflictView } from './ConflictView';

interface Props<Thing> {
    isStale: boolean;
    before: Thing | undefined;
    /** What is there now. */
    now: Pick<UseQueryResult<Thing>, 'data' | 'isFetching'>;
    mine: unknown;
    onClose(): void;
    /** Goes on from what is there now: with what stands in the form, or with theirs. */
    onGoOn(now: Thing, isMine: boolean): void;
}

/** Both versions, over a form whose change came too late. */
export function FormConflict<Thing extends { spec: unknown }>(props: Props<Thing>) {
    const { isStale, before, now, mine, onClose, onGoOn } = props;
    const theirs = now.isFetching ? undefined : now.data;
    return (
        <Modal opened={isStale} onClose={onClose} title={text.common.conflict.title}>
            <ConflictView
                before={before?.spec}
                theirs={theirs?.spec}
                mine={mine}
                onTakeTheirs={() => theirs && onGoOn(theirs, false)}
                onTakeMine={() => theirs && onGoOn(theirs, true)}
            />
        </Modal>
    );
}
