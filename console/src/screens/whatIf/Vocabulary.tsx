import { text } from '../../texts';
import styles from './Vocabulary.module.css';

const words = text.whatIf;

/** The words of the language, for whoever does not know them by heart. */
export function Vocabulary() {
    return (
        <details className={styles.vocabulary}>
            <summary>{words.editor.reference}</summary>
            <dl>
                {words.words.map(([statement, about]) => (
                    <div key={statement}>
                        <dt>
                            <code>{statement}</code>
                        </dt>
                        <dd>{about}</dd>
                    </div>
                ))}
            </dl>
        </details>
    );
}
