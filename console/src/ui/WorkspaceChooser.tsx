import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { workspaces } from '../api/queries/workspaces';
import { useWorkspace } from '../session/workspace';
import { text } from '../texts';

/** Narrows lists to one workspace. It stands in the URL (`ws`) and stays while one walks around. */
export function WorkspaceChooser() {
    const { data } = useQuery(workspaces.list());
    const chosen = useWorkspace();
    const navigate = useNavigate();
    const names = data?.map(one => one.metadata.name) ?? [];
    return (
        <Select
            aria-label={text.shell.workspace}
            size="xs"
            w={160}
            placeholder={text.shell.allWorkspaces}
            clearable
            searchable={names.length > 8}
            data={names}
            value={chosen ?? null}
            onChange={ws =>
                void navigate({ to: '.', search: before => ({ ...before, ws: ws ?? undefined }) })
            }
        />
    );
}
