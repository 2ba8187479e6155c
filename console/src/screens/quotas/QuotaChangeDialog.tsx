import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Problem } from '../../api/problem';
import { quotas, type Asked, type Quota } from '../../api/queries/quotas';
import { ConflictView } from '../../ui/ConflictView';
import { PreviewDialog, type PlannedChange } from '../../ui/PreviewDialog';

/** A change of one quota, made to the version that was seen. */
export interface QuotaChange {
    title: string;
    confirm: string;
    /** The quota when the form was opened. */
    seen: Quota;
    /** What it shall be, to be compared if somebody else was faster. */
    wanted: unknown;
    send(version: string, asked: Asked): Promise<unknown>;
}

interface Props {
    change: QuotaChange | undefined;
    onClose(): void;
    onDone?(answer: unknown): void;
    onProblem?(problem: Problem): void;
}

/** Previews and applies a change of a quota; shows both versions if the quota has changed meanwhile. */
export function QuotaChangeDialog({ change, onClose, onDone, onProblem }: Props) {
    const name = change?.seen.metadata.name ?? '';
    const [version, setVersion] = useState<string>();
    const [isStale, setStale] = useState(false);
    const now = useQuery({ ...quotas.one(name), enabled: isStale && change !== undefined });

    const close = () => {
        setVersion(undefined);
        setStale(false);
        onClose();
    };
    const planned = useMemo<PlannedChange | undefined>(() => {
        if (!change) return undefined;
        return {
            title: change.title,
            confirm: change.confirm,
            moves: ['quotas', 'workloads'],
            send: asked => change.send(version ?? change.seen.metadata.version, asked),
        };
    }, [change, version]);

    return (
        <PreviewDialog
            change={planned}
            onClose={close}
            onDone={answer => {
                onDone?.(answer);
            }}
            onProblem={problem => {
                setStale(problem.isStale);
                if (problem.isStale) void now.refetch();
                else onProblem?.(problem);
            }}
            conflict={
                <ConflictView
                    before={change?.seen.spec}
                    theirs={now.isFetching ? undefined : now.data?.spec}
                    mine={change?.wanted}
                    onTakeTheirs={() => {
                        close();
                        onDone?.(undefined);
                    }}
                    onTakeMine={() => setVersion(now.data?.metadata.version)}
                />
            }
        />
    );
}
