import { Link, Navigate, Outlet, useLocation } from '@tanstack/react-router';
import { useSession } from '../../session/session';
import { text } from '../../texts';
import { Page } from '../../ui/Page';
import { NotFound } from '../../ui/RouteError';
import { SECTIONS, sectionsOf } from './sections';
import styles from './Administration.module.css';

const words = text.administration;

/** The parts that one may see, side by side; one of them below. */
export function AdministrationScreen() {
    const sections = sectionsOf(useSession());
    const { pathname } = useLocation();
    // A part that is not one's own is not there, however one comes to its address.
    const others = SECTIONS.filter(section => !sections.includes(section));
    const isOthers = others.some(section => pathname.startsWith(section.to));
    if (sections.length === 0 || isOthers) return <NotFound />;
    return (
        <Page title={words.title}>
            <nav aria-label={words.nav} className={styles.tabs}>
                {sections.map(section => (
                    <Link key={section.to} to={section.to} className={styles.tab}>
                        {section.label}
                    </Link>
                ))}
            </nav>
            <Outlet />
        </Page>
    );
}

/** Whoever names no part gets the first that is theirs. */
export function FirstSection() {
    const [first] = sectionsOf(useSession());
    return first ? <Navigate to={first.to} replace /> : null;
}
