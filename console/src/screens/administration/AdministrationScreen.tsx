import { Navigate, Outlet, useLocation } from '@tanstack/react-router';
import { useSession } from '../../session/session';
import { text } from '../../texts';
import { Page } from '../../ui/Page';
import { NotFound } from '../../ui/RouteError';
import { SectionNav } from '../../ui/SectionNav';
import { SECTIONS, sectionsOf } from './sections';

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
            <SectionNav label={words.nav} sections={sections} />
            <Outlet />
        </Page>
    );
}

/** Whoever names no part gets the first that is theirs. */
export function FirstSection() {
    const [first] = sectionsOf(useSession());
    return first ? <Navigate to={first.to} replace /> : null;
}
