import { Button, Select, TextInput, Tooltip } from '@mantine/core';
import { auditExport, type AuditFilter } from '../../api/queries/audit';
import { text } from '../../texts';
import { TypedInput } from '../../ui/TypedInput';
import { OPERATIONS, type AuditSearch } from './model';
import styles from './Audit.module.css';

const words = text.audit;

interface Props {
    room?: string;
    filter: AuditFilter;
    search: AuditSearch;
    onSearch(search: AuditSearch): void;
}

/** Which changes are wanted, and the way to take them along. */
export function AuditFilters({ room, filter, search, onSearch }: Props) {
    const set = (part: Partial<AuditSearch>) => onSearch({ ...search, entry: undefined, ...part });
    const operations = search.op === undefined ? OPERATIONS : [...new Set([search.op, ...OPERATIONS])].sort();
    const isEmpty = [search.by, search.op, search.from, search.to].every(value => value === undefined);
    return (
        <div className={styles.filters}>
            <TypedInput label={words.filter.user} value={search.by} onDone={by => set({ by })} />
            <Select
                label={words.filter.operation}
                placeholder={words.anyOperation}
                clearable
                searchable
                w={190}
                data={[...operations]}
                value={search.op ?? null}
                onChange={op => set({ op: op ?? undefined })}
            />
            {(['from', 'to'] as const).map(end => (
                <TextInput
                    key={end}
                    type="datetime-local"
                    w={188}
                    label={words.filter[end]}
                    value={search[end] ?? ''}
                    onChange={event => set({ [end]: event.currentTarget.value || undefined })}
                />
            ))}
            {!isEmpty && (
                <Button size="sm" variant="subtle" onClick={() => onSearch({})}>
                    {words.filter.clear}
                </Button>
            )}
            <Tooltip label={words.exportHint}>
                <Button
                    size="sm"
                    component="a"
                    variant="default"
                    ml="auto"
                    href={auditExport(room, filter)}
                    download={room === undefined ? 'audit.jsonl' : `audit-${room}.jsonl`}
                >
                    {words.export}
                </Button>
            </Tooltip>
        </div>
    );
}
