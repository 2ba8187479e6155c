import styles from './JsonView.module.css';

/** JSON for people. It scrolls by itself, by keyboard, too. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
    return (
        <pre className={styles.json} tabIndex={0} role="region" aria-label={label}>
            {JSON.stringify(value, null, 2)}
        </pre>
    );
}
