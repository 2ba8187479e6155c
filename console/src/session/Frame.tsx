import { useNavigate, useRouterState } from '@tanstack/react-router';
import { LiveProvider } from '../api/live';
import { AppShell } from '../ui/AppShell';

/** What everybody who is logged in has: the live connection, and the frame of the screens. */
export function Frame() {
    const navigate = useNavigate();
    const href = useRouterState({ select: state => state.location.href });
    const onDenied = () => void navigate({ to: '/login', search: { next: href, expired: true } });
    return (
        <LiveProvider onDenied={onDenied}>
            <AppShell />
        </LiveProvider>
    );
}
