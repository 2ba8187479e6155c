import { lazy, Suspense } from 'react';
import { useSession } from '../../session/session';
import { useStepsOver } from './useFirstSteps';

const FirstSteps = lazy(() => import('./FirstSteps').then(module => ({ default: module.FirstSteps })));

/** The first steps, for whoever looks after the platform, until they are done or not wanted. */
export function GuidedStart() {
    const { administrator } = useSession();
    const [isOver, end] = useStepsOver();
    if (!administrator || isOver) return null;
    return (
        <Suspense fallback={null}>
            <FirstSteps onEnd={end} />
        </Suspense>
    );
}
