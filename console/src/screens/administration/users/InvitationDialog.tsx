import type { Invitation } from '../../../api/queries/people';
import { text } from '../../../texts';
import { SecretDialog } from '../../../ui/SecretDialog';
import { exact } from '../../../ui/time';

const words = text.administration.user.link;

/** The link that lets somebody choose a password, shown once. */
export function InvitationDialog({ invitation, onClose }: { invitation?: Invitation; onClose(): void }) {
    const name = invitation?.user ?? '';
    return (
        <SecretDialog
            secret={invitation?.url}
            title={words.title(name)}
            label={words.label}
            onClose={onClose}
        >
            {invitation && words.about(name, exact(Date.parse(invitation.expiresAt)))}
        </SecretDialog>
    );
}
