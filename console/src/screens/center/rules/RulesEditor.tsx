import { Alert, Button, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Problem } from '../../../api/problem';
import { session as sessionQueries } from '../../../api/queries/session';
import { workspaces, type Policy } from '../../../api/queries/workspaces';
import { useSession } from '../../../session/session';
import { text } from '../../../texts';
import { ConflictView } from '../../../ui/ConflictView';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { PreviewDialog, type PlannedChange } from '../../../ui/PreviewDialog';
import { draftOf, isFree, isSame, specOf, type Draft } from './draft';
import type { FieldsProps } from './fields';
import { LeaveGuard } from './LeaveGuard';
import { LimitFields } from './LimitFields';
import { PresetFields } from './PresetFields';
import { PriorityFields } from './PriorityFields';
import { sendRules } from './save';
import { SubmitFields } from './SubmitFields';
import { TimeFields } from './TimeFields';
import styles from './Rules.module.css';

const words = text.center.rules;

interface Props {
    room: string;
    quota: string;
    /** As it is on the server, as far as is known. */
    policy: Policy;
}

/** The form of the rules: changed here, previewed, and saved for the version that it was opened with. */
export function RulesEditor({ room, quota, policy }: Props) {
    const client = useQueryClient();
    const session = useSession();
    const members = useQuery(workspaces.members(room));
    const roles = useQuery(sessionQueries.roles());
    const [base, setBase] = useState(policy);
    const [draft, setDraft] = useState<Draft>(() => draftOf(policy.spec ?? {}));
    const [problem, setProblem] = useState<Problem>();
    const [change, setChange] = useState<PlannedChange>();
    const [theirs, setTheirs] = useState<Policy>();
    const [isSaved, setSaved] = useState(false);
    const isDirty = !isSame(draft, draftOf(base.spec ?? {}));
    const whyNot = session.whyNot('policy:update', room);

    const adopt = (next: Policy) => {
        setBase(next);
        setDraft(draftOf(next.spec ?? {}));
        setProblem(undefined);
    };
    // What nobody is typing over follows the server.
    useEffect(() => {
        if (!isDirty && policy.version !== base.version) adopt(policy);
    }, [policy]);

    const readNow = () => client.fetchQuery({ ...workspaces.policy(room, quota), staleTime: 0 });
    const plan = (from: Policy): PlannedChange => ({
        title: words.previewTitle(quota),
        confirm: words.confirm,
        send: asked => sendRules(from, specOf(draft), asked, readNow),
        moves: ['workspaces', 'workloads', 'quotas'],
    });
    const close = () => {
        setChange(undefined);
        setTheirs(undefined);
    };
    const onProblem = (found: Problem) => {
        setProblem(found);
        if (found.isStale) void readNow().then(setTheirs);
        // What is wrong with a field is mended there.
        if (found.pointers.length > 0) close();
    };
    const fields: FieldsProps = {
        draft,
        problem,
        roles: roles.data?.items.map(one => one.name) ?? [],
        members: members.data?.map(one => one.user) ?? [],
        set: part => {
            setSaved(false);
            setDraft(before => ({ ...before, ...part }));
        },
    };
    return (
        <>
            {whyNot !== undefined && <Alert color="sand">{words.readOnly(whyNot)}</Alert>}
            {!isDirty && isFree(base.spec ?? {}) && <Text size="sm">{words.free}</Text>}
            <fieldset className={styles.rules} disabled={whyNot !== undefined}>
                <legend>{words.previewTitle(quota)}</legend>
                <LimitFields {...fields} />
                <SubmitFields {...fields} />
                <PriorityFields {...fields} />
                <TimeFields {...fields} />
                <PresetFields {...fields} />
            </fieldset>
            {isSaved && !isDirty && (
                <Alert color="tide" role="status">
                    {words.saved}
                </Alert>
            )}
            {isDirty && !problem?.isStale && <ProblemAlert problem={problem} shown={['/spec']} />}
            {isDirty && (
                <div className={styles.bar}>
                    <Text size="sm" fw={600}>
                        {words.unsaved}
                    </Text>
                    <Button variant="default" size="sm" onClick={() => adopt(policy)}>
                        {words.discard}
                    </Button>
                    <Button size="sm" onClick={() => setChange(plan(base))}>
                        {words.save}
                    </Button>
                </div>
            )}
            <LeaveGuard isDirty={isDirty} />
            <PreviewDialog
                change={change}
                onClose={close}
                onProblem={onProblem}
                onDone={answer => {
                    adopt(answer as Policy);
                    setSaved(true);
                }}
                conflict={
                    <ConflictView
                        before={base.spec}
                        theirs={theirs?.spec}
                        mine={specOf(draft)}
                        onTakeTheirs={() => {
                            if (theirs) adopt(theirs);
                            close();
                        }}
                        onTakeMine={() => {
                            if (!theirs) return;
                            setBase(theirs);
                            setTheirs(undefined);
                            setProblem(undefined);
                            setChange(plan(theirs));
                        }}
                    />
                }
            />
        </>
    );
}
