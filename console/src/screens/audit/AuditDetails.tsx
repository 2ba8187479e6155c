import type { AuditEntry } from '../../api/queries/audit';
import { text } from '../../texts';
import { differences } from '../../ui/difference';
import { Facts } from '../../ui/Facts';
import { exact } from '../../ui/time';
import styles from './Audit.module.css';

const words = text.audit;

/** All that a request changed: before and after. */
export function AuditDetails({ entry }: { entry: AuditEntry }) {
    return (
        <div className={styles.details}>
            <Facts
                facts={[
                    [words.columns.at, exact(Date.parse(entry.at))],
                    [words.number, String(entry.number)],
                    [words.request, <code key="request">{entry.requestId ?? ''}</code>],
                ]}
            />
            {entry.changes.map(change => {
                const fields = differences(change.before, change.before, change.after);
                return (
                    <section key={change.number}>
                        <h3>{words.change(change.kind, change.name, change.event)}</h3>
                        {fields.length === 0 ? (
                            <p>{words.same}</p>
                        ) : (
                            <dl>
                                {fields.map(field => (
                                    <div key={field.path}>
                                        <dt>{field.path}</dt>
                                        <dd>
                                            {field.theirs !== '' && (
                                                <del title={words.before}>{field.theirs}</del>
                                            )}
                                            {field.mine !== '' && <ins title={words.after}>{field.mine}</ins>}
                                        </dd>
                                    </div>
                                ))}
                            </dl>
                        )}
                    </section>
                );
            })}
        </div>
    );
}
