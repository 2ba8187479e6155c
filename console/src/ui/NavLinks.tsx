import { Link } from '@tanstack/react-router';
import { navigation } from '../navigation';
import { useSession } from '../session/session';
import { Icon } from './icons';
import styles from './NavLinks.module.css';

/** The screens that one may see. */
export function NavLinks() {
    const session = useSession();
    return (
        <ul className={styles.list}>
            {navigation
                .filter(
                    entry =>
                        entry.needs === undefined || [entry.needs].flat().some(action => session.may(action)),
                )
                .map(entry => (
                    <li key={entry.to}>
                        <Link
                            to={entry.to}
                            className={styles.link}
                            activeOptions={{ exact: entry.to === '/' }}
                        >
                            <Icon name={entry.icon} />
                            {entry.label}
                        </Link>
                    </li>
                ))}
        </ul>
    );
}
