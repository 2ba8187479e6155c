import { Button, Group, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { dedicated, dedicatedChanges, type ResourceRequest } from '../../../api/queries/dedicated';
import { useSession, type Session } from '../../../session/session';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { EmptyState } from '../../../ui/EmptyState';
import { AnchorLink } from '../../../ui/links';
import { PreviewDialog, type PlannedChange } from '../../../ui/PreviewDialog';
import { RelativeTime } from '../../../ui/RelativeTime';
import type { Column } from '../../../ui/table';
import { ComputeList } from '../ComputeList';
import { MOVES } from '../configs/ConfigActions';
import { agreement } from '../describe';
import { RequestStateBadge } from '../StateBadge';

const words = text.compute.request;
type Decision = 'approve' | 'decline' | 'withdraw';

/** What was asked for, and what was decided; whoever may, decides here. */
export function RequestsScreen() {
    const { state } = useSearch({ from: '/app/compute/requests' });
    const workspace = useWorkspace();
    const session = useSession();
    const list = useQuery(dedicated.requests(state, workspace));
    const [deciding, setDeciding] = useState<{ request: ResourceRequest; decision: Decision }>();
    return (
        <ComputeList
            label={text.compute.sections.requests}
            states={words.states}
            state={state}
            list={list}
            columns={columns(session, (request, decision) => setDeciding({ request, decision }))}
            empty={
                <EmptyState title={state === undefined ? words.empty.title : words.empty.filtered}>
                    {words.empty.about}
                </EmptyState>
            }
        >
            {deciding && <Decide {...deciding} onClose={() => setDeciding(undefined)} />}
        </ComputeList>
    );
}

/** What a decision does, and what is said with it. */
function Decide(props: { request: ResourceRequest; decision: Decision; onClose(): void }) {
    const { request, decision, onClose } = props;
    const [note, setNote] = useState('');
    const said = note.trim() === '' ? undefined : note.trim();
    const change = useMemo<PlannedChange>(
        () => ({
            title: words[`${decision}Title`](request.id),
            confirm: words[decision],
            about: decision === 'withdraw' ? words.withdrawAbout : agreement(request),
            send: asked =>
                decision === 'withdraw'
                    ? dedicatedChanges.withdraw(request.id, asked)
                    : // What would happen does not depend on what is said of it, but nothing is declined without a word.
                      dedicatedChanges[decision](
                          request.id,
                          asked.dryRun ? (said ?? words.note) : said,
                          asked,
                      ),
            moves: MOVES,
        }),
        [request, decision, said],
    );
    return (
        <PreviewDialog
            change={change}
            missing={decision === 'decline' && said === undefined ? words.noteMissing : undefined}
            onClose={onClose}
        >
            {decision !== 'withdraw' && (
                <Textarea
                    label={words.note}
                    description={words.noteHint}
                    rows={2}
                    value={note}
                    onChange={event => setNote(event.currentTarget.value)}
                />
            )}
        </PreviewDialog>
    );
}

function columns(
    session: Session,
    decide: (request: ResourceRequest, decision: Decision) => void,
): Column<ResourceRequest>[] {
    const names = words.columns;
    const mayDecide = session.may('resource-config:approve');
    const mayWithdraw = (row: ResourceRequest) =>
        session.may('resource-config:update', row.workspace) || row.by === session.user;
    return [
        { id: 'id', header: names.id, cell: row => <strong>{row.id}</strong> },
        { id: 'state', header: names.state, cell: row => <RequestStateBadge state={row.state} /> },
        {
            id: 'who',
            header: names.who,
            cell: row => (
                <span>
                    {row.workspace}, {row.by}
                </span>
            ),
        },
        { id: 'what', header: names.what, width: '22%', cell: agreement },
        { id: 'reason', header: names.reason, width: '16%', cell: row => row.reason },
        { id: 'made', header: names.made, cell: row => <RelativeTime at={row.madeAt} /> },
        { id: 'outcome', header: names.outcome, width: '15%', cell: row => <Outcome request={row} /> },
        {
            id: 'actions',
            header: names.actions,
            hideHeader: true,
            align: 'right',
            cell: row =>
                row.state === 'pending' && (
                    <Group gap={6} wrap="nowrap" justify="flex-end">
                        {mayDecide && <Button onClick={() => decide(row, 'approve')}>{words.approve}</Button>}
                        {mayDecide && (
                            <Button variant="default" onClick={() => decide(row, 'decline')}>
                                {words.decline}
                            </Button>
                        )}
                        {!mayDecide && mayWithdraw(row) && (
                            <Button variant="default" onClick={() => decide(row, 'withdraw')}>
                                {words.withdraw}
                            </Button>
                        )}
                    </Group>
                ),
        },
    ];
}

function Outcome({ request }: { request: ResourceRequest }) {
    return (
        <span>
            {request.config != null && (
                <AnchorLink underline="always" to="/compute/$config" params={{ config: request.config }}>
                    {request.config}
                </AnchorLink>
            )}{' '}
            {request.decidedBy != null && words.by(request.decidedBy)} {request.note}
        </span>
    );
}
