import { Link } from '@tanstack/react-router';
import styles from './SectionNav.module.css';

/** Parts of a screen that have addresses of their own, side by side. */
export function SectionNav(props: {
    label: string;
    sections: readonly { to: string; label: string; isExact?: boolean }[];
}) {
    return (
        <nav aria-label={props.label} className={styles.tabs}>
            {props.sections.map(section => (
                <Link
                    key={section.to}
                    to={section.to}
                    className={styles.tab}
                    activeOptions={{ exact: section.isExact ?? false, includeSearch: false }}
                >
                    {section.label}
                </Link>
            ))}
        </nav>
    );
}
