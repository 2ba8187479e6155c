import { useNavigate, useSearch } from '@tanstack/react-router';
import { useWorkspace } from '../../session/workspace';
import { text } from '../../texts';
import { AuditView } from '../audit/AuditView';
import { Bar } from './Bar';

/** The audit of the platform. */
export function AuditSection() {
    const search = useSearch({ from: '/app/administration/audit' });
    const navigate = useNavigate({ from: '/administration/audit' });
    return (
        <>
            <Bar about={text.audit.about} />
            <AuditView
                workspace={useWorkspace()}
                search={search}
                onSearch={next => void navigate({ search: ({ ws }) => ({ ws, ...next }), replace: true })}
            />
        </>
    );
}
