import { Tooltip } from '@mantine/core';
import { useConnection } from '../api/live';
import { text } from '../texts';
import styles from './ConnectionState.module.css';

const words = text.shell.connection;

/** Whether what one sees is what is. */
export function ConnectionState() {
    const connection = useConnection();
    return (
        <Tooltip label={connection === 'lost' ? words.lostHint : words.liveHint}>
            <span className={styles.state} data-connection={connection} role="status">
                <span className={styles.dot} aria-hidden="true" />
                <span className={styles.word}>{words[connection]}</span>
            </span>
        </Tooltip>
    );
}
