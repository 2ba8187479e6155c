import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Invitation } from '../../api/queries/people';
import { quotas } from '../../api/queries/quotas';
import { text } from '../../texts';
import { Section } from '../../ui/Page';
import { InvitationDialog } from '../administration/users/InvitationDialog';
import { NewUserDialog } from '../administration/users/NewUserDialog';
import { NewWorkspaceDialog } from '../administration/workspaces/NewWorkspaceDialog';
import { NewQuotaDialog } from '../quotas/NewQuotaDialog';
import { StepCard } from './StepCard';
import { doneOf, nextOf, STEPS, type Step } from './steps';
import styles from './Start.module.css';
import { useFirstSteps } from './useFirstSteps';

const words = text.start;

/** What an empty server needs, in order. The forms are those of the screens. */
export function FirstSteps({ onEnd }: { onEnd(): void }) {
    const present = useFirstSteps(onEnd);
    const tree = useQuery(quotas.tree());
    const [open, setOpen] = useState<Step>();
    const [invitation, setInvitation] = useState<Invitation>();
    const close = () => setOpen(undefined);
    if (!present) return null;
    const done = doneOf(present);
    const next = nextOf(done);
    return (
        <Section
            title={words.title}
            actions={
                <Button variant="subtle" onClick={onEnd}>
                    {words.dismiss}
                </Button>
            }
        >
            <p className={styles.about}>
                {words.about(STEPS.filter(step => done[step]).length, STEPS.length)}
            </p>
            <ol className={styles.steps} aria-label={words.list}>
                {STEPS.map(step => (
                    <StepCard
                        key={step}
                        step={step}
                        present={present}
                        isDone={done[step]}
                        isNext={step === next}
                        onOpen={setOpen}
                    />
                ))}
            </ol>
            {open === 'quotas' && <NewQuotaDialog parent={tree.data?.roots[0]?.quota} onClose={close} />}
            <NewWorkspaceDialog opened={open === 'workspace'} onClose={close} />
            <NewUserDialog
                opened={open === 'member'}
                room={present.workspaces[0]}
                onClose={close}
                onInvited={setInvitation}
            />
            <InvitationDialog invitation={invitation} onClose={() => setInvitation(undefined)} />
        </Section>
    );
}
