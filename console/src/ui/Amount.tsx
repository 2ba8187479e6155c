import { text } from '../texts';
import { bytes, figure, gpuText, type Amounts } from './amounts';
import styles from './Amount.module.css';

/** GPU, CPU and memory, each with its unit; what is not counted is left out. */
export function Amount({ amounts }: { amounts: Amounts }) {
    return (
        <span className={styles.amount}>
            <span>
                {gpuText(amounts)} <small>{text.common.amount.gpu}</small>
            </span>
            {amounts.cpu != null && (
                <span>
                    {figure(amounts.cpu)} <small>{text.common.amount.cpu}</small>
                </span>
            )}
            {amounts.memory != null && <span>{bytes(amounts.memory)}</span>}
        </span>
    );
}

/** So much of so much; the first is what is used. */
export function OfAmount({ used, of }: { used: string; of: string }) {
    return (
        <span className={styles.of}>
            <strong>{used}</strong>
            <small> / {of}</small>
        </span>
    );
}
