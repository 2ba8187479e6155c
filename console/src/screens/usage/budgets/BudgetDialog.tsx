import { Checkbox, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { budgetChanges, budgets, type Budget, type NewBudget } from '../../../api/queries/budgets';
import { prices } from '../../../api/queries/metering';
import type { Asked } from '../../../api/queries/quotas';
import { text } from '../../../texts';
import { ConflictView } from '../../../ui/ConflictView';
import { PreviewedDialog } from '../../../ui/PreviewedDialog';
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
    const [room, setRoom] = useState<string | null>(before?.workspace ?? rooms[0] ?? null);
    const [draft, setDraft] = useState<NewBudget>(before ? saidOf(before) : { amount: '', stop: false });
    /** The version that is changed: another one, if somebody was faster and ours shall be. */
    const seen = useRef(before);
    const book = books.find(one => one.metadata.name === (draft.priceBook ?? 'default')) ?? books[0];
    const plan = () => {
        const workspace = room ?? '';
        const amount = draft.amount.trim();
        const said = words.amount(amount, book?.spec.currency ?? '');
        const [base, isStop] = [seen.current, draft.stop === true];
        return {
            confirm: words.form.confirm,
            about: `${words.effect(workspace, said, isStop)} ${base ? (spentAlready(base, draft) ?? '') : ''}`,
            quiet: words.quiet,
            moves: ['budgets'],
            send: (asked: Asked) =>
                budgetChanges.set(
                    workspace,
                    base?.version,
                    { ...draft, amount, priceBook: book?.metadata.name },
                    asked,
                ),
        };
    };
    return (
        <PreviewedDialog
            title={before ? words.form.change(before.workspace) : words.form.create}
            fields={['/amount', '/priceBook', '/stop']}
            onClose={onClose}
            plan={plan}
            conflict={again => (
                <Conflict
                    room={room ?? ''}
                    before={seen.current}
                    mine={draft}
                    onClose={onClose}
                    onTakeMine={theirs => {
                        seen.current = theirs;
                        again();
                    }}
                />
            )}
        >
            {(problem, forget) => {
                const set = (part: Partial<NewBudget>) => {
                    // What is said was of something else.
                    forget();
                    setDraft(all => ({ ...all, ...part }));
                };
                return (
                    <>
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
                    </>
                );
            }}
        </PreviewedDialog>
    );
}

/** Both versions, when somebody else was faster. */
function Conflict(props: {
    room: string;
    before: Budget | undefined;
    mine: NewBudget;
    onClose(): void;
    onTakeMine(theirs: Budget): void;
}) {
    const { room, before, mine, onClose, onTakeMine } = props;
    const { data, isFetching } = useQuery({ ...budgets.one(room), staleTime: 0 });
    const theirs = isFetching ? undefined : data;
    return (
        <ConflictView
            before={before && saidOf(before)}
            theirs={theirs && saidOf(theirs)}
            mine={mine}
            onTakeTheirs={onClose}
            onTakeMine={() => theirs && onTakeMine(theirs)}
        />
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
