import { Select } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Workload } from '../../../api/queries/workloads';
import { text } from '../../../texts';

const words = text.workloads.detail.logs;

/** Narrows output and figures to one replica; it stands in the URL. Of a single replica there is nothing to choose. */
export function ReplicaSelect({ workload }: { workload: Workload }) {
    const { replica } = useSearch({ from: '/app/workloads/$workload' });
    const navigate = useNavigate({ from: '/workloads/$workload' });
    const count = Math.max(workload.status.replicas.wanted, (replica ?? 0) + 1);
    if (count <= 1) return null;
    return (
        <Select
            size="xs"
            w={150}
            aria-label={words.replica}
            placeholder={words.all}
            clearable
            searchable={count > 8}
            data={Array.from({ length: count }, (_, number) => ({
                value: String(number),
                label: words.number(number),
            }))}
            value={replica === undefined ? null : String(replica)}
            onChange={value =>
                void navigate({
                    search: before => ({ ...before, replica: value === null ? undefined : Number(value) }),
                    replace: true,
                })
            }
        />
    );
}
