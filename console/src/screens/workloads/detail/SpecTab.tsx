import { Button, CopyButton, Text } from '@mantine/core';
import type { Workload } from '../../../api/queries/workloads';
import { text } from '../../../texts';
import styles from './Detail.module.css';

const words = text.workloads.detail.spec;

/** What was submitted, as a manifest. JSON is YAML, too. */
export function SpecTab({ workload: { apiVersion, kind, metadata, spec } }: { workload: Workload }) {
    const manifest = JSON.stringify(
        { apiVersion, kind, metadata: { name: metadata.name, labels: metadata.labels }, spec },
        null,
        2,
    );
    return (
        <>
            <div className={styles.bar}>
                <CopyButton value={manifest}>
                    {({ copied, copy }) => (
                        <Button variant="default" onClick={copy}>
                            {copied ? words.copied : words.copy}
                        </Button>
                    )}
                </CopyButton>
                <Text size="sm" c="dimmed">
                    {words.about}
                </Text>
            </div>
            <pre className={styles.code} tabIndex={0}>
                {manifest}
            </pre>
        </>
    );
}
