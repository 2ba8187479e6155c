import type { ResourceConfig, ResourceRequest } from '../../api/queries/dedicated';
import { text } from '../../texts';
import { bytes, figure, gpuText } from '../../ui/amounts';
import { minute } from '../../ui/time';

const words = text.compute;

interface Size {
    gpu: number | Record<string, number>;
    cpu?: number | null;
    memory?: string | number | null;
}

/** `8 GPUs, 16 cores`. */
export function sizeText(size: Size): string {
    const parts = [
        words.gpus(gpuText(size)),
        size.cpu == null ? undefined : words.cores(figure(size.cpu)),
        size.memory == null ? undefined : typeof size.memory === 'number' ? bytes(size.memory) : size.memory,
    ];
    return parts.filter(part => part !== undefined).join(', ');
}

const time = (at: string) => minute(Date.parse(at));

/** What was agreed, or is asked for, in a line. */
export function agreement({
    reserved,
    byUsage,
}: Pick<ResourceRequest | ResourceConfig, 'reserved' | 'byUsage'>): string {
    if (byUsage)
        return words.byUsage(
            gpuText(byUsage.minimum ?? { gpu: 0 }),
            sizeText(byUsage.maximum),
            gpuText(byUsage.step),
        );
    if (!reserved) return '';
    const size = sizeText(reserved.size);
    const { weekly } = reserved;
    if (weekly) {
        const days = weekly.days.map(day => words.days[day] ?? day).join(', ');
        return words.weekly(size, days, weekly.from, weekly.to, weekly.timeZone);
    }
    const start = reserved.start == null ? words.fromNow : time(reserved.start);
    return words.once(size, start, reserved.end == null ? '' : time(reserved.end));
}

/** What was agreed, without the period where another column has it. */
export function terms(config: Pick<ResourceConfig, 'reserved' | 'byUsage'>): string {
    const { reserved } = config;
    return reserved && !reserved.weekly ? sizeText(reserved.size) : agreement(config);
}

/** The period that goes on, or the next one. */
export function periodText({ period, state }: Pick<ResourceConfig, 'period' | 'state'>): string {
    if (!period) return '';
    const end = period.end == null ? words.config.untilReleased : words.config.until(time(period.end));
    return state === 'scheduled' ? `${words.config.from(time(period.start))} ${end}` : end;
}
