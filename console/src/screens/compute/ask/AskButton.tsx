import { useSession } from '../../../session/session';
import { useWorkspace } from '../../../session/workspace';
import { text } from '../../../texts';
import { DisabledReason } from '../../../ui/DisabledReason';
import { Icon } from '../../../ui/icons';
import { ButtonLink } from '../../../ui/links';

export function AskButton() {
    const session = useSession();
    return (
        <DisabledReason reason={session.whyNot('resource-request:create', useWorkspace())}>
            <ButtonLink to="/compute/requests/new" leftSection={<Icon name="plus" size={16} />}>
                {text.compute.ask}
            </ButtonLink>
        </DisabledReason>
    );
}
