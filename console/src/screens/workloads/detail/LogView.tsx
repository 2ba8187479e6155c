import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef } from 'react';
import { text } from '../../../texts';
import type { Line } from './lines';
import styles from './LogView.module.css';

const LINE_HEIGHT = 18;
/** So near the end counts as at the end. */
const NEAR_PX = 40;

interface Props {
    lines: readonly Line[];
    /** Lines of several replicas say of which. */
    isSeveral: boolean;
    follows: boolean;
    onFollows(follows: boolean): void;
}

/** Lines of output; only those that are seen are drawn. Scrolling up stops following, scrolling to the end goes on. */
export function LogView({ lines, isSeveral, follows, onFollows }: Props) {
    const viewport = useRef<HTMLDivElement>(null);
    const virtual = useVirtualizer({
        count: lines.length,
        getScrollElement: () => viewport.current,
        estimateSize: () => LINE_HEIGHT,
        overscan: 30,
    });
    const last = lines.at(-1);
    // Where following has put it: whoever is above that has scrolled up, though the event of it may still be on its way.
    const put = useRef(0);
    useEffect(() => {
        const element = viewport.current;
        if (!element) return;
        if (!follows) put.current = 0;
        else if (element.scrollTop + NEAR_PX < Math.min(put.current, endOf(element))) onFollows(false);
        else {
            element.scrollTop = element.scrollHeight;
            put.current = element.scrollTop;
        }
    }, [follows, last, onFollows]);
    const widest = useMemo(() => lines.reduce((most, line) => Math.max(most, line.text.length), 0), [lines]);
    return (
        <div
            ref={viewport}
            className={styles.viewport}
            tabIndex={0}
            role="log"
            aria-label={text.workloads.detail.logs.label}
            aria-live="off"
            onScroll={event => {
                const element = event.currentTarget;
                const isAtEnd = endOf(element) - element.scrollTop < NEAR_PX;
                // New lines are below before they are followed: that is not scrolling up.
                if (isAtEnd || element.scrollTop + NEAR_PX < put.current) onFollows(isAtEnd);
            }}
        >
            <div
                className={styles.lines}
                style={{ height: virtual.getTotalSize(), width: `max(100%, ${widest + 6}ch)` }}
            >
                {virtual.getVirtualItems().map(item => {
                    const line = lines[item.index];
                    return (
                        line && (
                            <div
                                key={line.number}
                                className={styles.line}
                                style={{ transform: `translateY(${item.start}px)` }}
                            >
                                {isSeveral && <span className={styles.replica}>{line.replica}</span>}
                                {line.text}
                            </div>
                        )
                    );
                })}
            </div>
        </div>
    );
}

/** How far it can be scrolled. */
function endOf(element: HTMLElement): number {
    return element.scrollHeight - element.clientHeight;
}
