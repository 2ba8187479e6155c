import { Checkbox, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Problem } from '../../../api/problem';
import { budgetChanges, budgets, type Budget, type NewBudget } from '../../../api/queries/budgets';
import { prices } from '../../../api/queries/metering';
import { text } from '../../../texts';
import { ChangeForm } from '../../../ui/ChangeForm';
import { ConflictView } from '../../../ui/ConflictView';
import { PreviewDialog, type PlannedChange } from '../../../ui/PreviewDialog';
import { percentOf } from './bar';

const words = text.budgets;

interface Props {
    /** The budget that is changed; `undefined`: one is set where there was none. */
    before?: Budget;
    /** Workspaces that have none yet. */
    rooms: readonly string[];
    onClose(): void;
}

/** What can be said of a budget, of what there is. */
const saidOf = ({ amount, priceBook, stop }: Budget): NewBudget => ({ amount, priceBook, stop });

/** Sets the budget of a workspace: a form, then its preview. */
export function BudgetDialog({ before, rooms, onClose }: Props) {
    const books = useQuery(prices.list()).data ?? [];
    const [seen, setSeen] = useState(before);
    const [room, setRoom] = useState<string | null>(before?.workspace ?? rooms[0] ?? null);
    const [draft, setDraft] = useState<NewBudget>(before ? saidOf(before) : { amount: '', stop: false });
    const [problem, setProblem] = useState<Problem>();
    const [isPreviewed, setPreviewed] = useState(false);
    const isStale = problem?.isStale === true;
    const now = useQuery({ ...budgets.one(room ?? ''), enabled: isStale, staleTime: 0 });
    const theirs = now.isFetching ? undefined : now.data;
    const set = (part: Partial<NewBudget>) => {
        // What is said was of something else.
        setProblem(undefined);
        setDraft(all => ({ ...all, ...part }));
    };

    const book = books.find(one => one.metadata.name === (draft.priceBook ?? 'default')) ?? books[0];
    const change = useMemo<PlannedChange | undefined>(() => {
        if (!isPreviewed || room === null) return undefined;
        const amount = words.amount(draft.amount.trim(), book?.spec.currency ?? '');
        return {
            title: seen ? words.form.change(room) : words.form.create,
            confirm: words.form.confirm,
            about: (
                <>
                    {words.effect(room, amount, draft.stop === true)} {seen && spentAlready(seen, draft)}
                </>
            ),
            quiet: words.quiet,
            moves: ['budgets'],
            send: asked =>
                budgetChanges.set(
                    room,
                    seen?.version,
                    { ...draft, amount: draft.amount.trim(), priceBook: draft.priceBook ?? undefined },
                    asked,
                ),
        };
    }, [isPreviewed, room, draft, seen, book]);

    return (
        <>
            <ChangeForm
                opened={!isPreviewed}
                title={before ? words.form.change(before.workspace) : words.form.create}
                problem={problem}
                fields={['/amount', '/priceBook', '/stop']}
                onClose={onClose}
                onSubmit={() => {
                    setProblem(undefined);
                    setPreviewed(true);
                }}
            >
                {!before && (
                    <Select
                        label={words.form.workspace}
                        required
                        allowDeselect={false}
                        searchable={rooms.length > 8}
                        data={[...rooms]}
                        value={room}
                        onChange={setRoom}
                    />
                )}
                <TextInput
                    label={words.form.amount}
                    description={words.form.amountHint}
                    required
                    inputMode="decimal"
                    rightSection={book?.spec.currency}
                    rightSectionWidth={56}
                    value={draft.amount}
                    error={problem?.at('/amount')}
                    onChange={event => set({ amount: event.currentTarget.value })}
                />
                {books.length > 1 && (
                    <Select
                        label={words.form.book}
                        allowDeselect={false}
                        data={books.map(one => one.metadata.name)}
                        value={book?.metadata.name ?? null}
                        error={problem?.at('/priceBook')}
                        onChange={priceBook => set({ priceBook })}
                    />
                )}
                <Checkbox
                    label={words.form.stop}
                    description={words.form.stopHint}
                    checked={draft.stop === true}
                    onChange={event => set({ stop: event.currentTarget.checked })}
                />
            </ChangeForm>
            <PreviewDialog
                change={change}
                onClose={() => setPreviewed(false)}
                onDone={onClose}
                onProblem={refused => {
                    setProblem(refused);
                    setPreviewed(refused.isStale);
                }}
                conflict={
                    <ConflictView
                        before={seen && saidOf(seen)}
                        theirs={theirs && saidOf(theirs)}
                        mine={draft}
                        onTakeTheirs={onClose}
                        onTakeMine={() => {
                            setProblem(undefined);
                            setSeen(theirs);
                        }}
                    />
                }
            />
        </>
    );
}

/** What is spent of this month, as a part of another amount by the same prices. */
function spentAlready(before: Budget, wanted: NewBudget): string | undefined {
    if (before.spent == null || (wanted.priceBook ?? before.priceBook) !== before.priceBook) return undefined;
    const percent = percentOf(before.spent, wanted.amount);
    if (percent === undefined) return undefined;
    const spent = words.amount(before.spent, before.currency);
    return percent >= 100 ? words.alreadyOver(spent) : words.already(spent, percent);
}
