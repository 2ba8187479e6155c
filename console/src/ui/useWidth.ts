import { useLayoutEffect, useState, type RefObject } from 'react';

/** How wide an element is, that is there from the first drawing on. */
export function useWidth(place: RefObject<HTMLElement | null>): number {
    const [width, setWidth] = useState(0);
    useLayoutEffect(() => {
        const element = place.current;
        if (!element) return undefined;
        setWidth(element.clientWidth);
        const observer = new ResizeObserver(() => setWidth(element.clientWidth));
        observer.observe(element);
        return () => observer.disconnect();
    }, [place]);
    return width;
}
