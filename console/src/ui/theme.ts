import { createTheme, type MantineColorsTuple } from '@mantine/core';
import { common } from '../texts/en/common.ts';

/** Deep sea to shallow water. */
const tide: MantineColorsTuple = [
    '#e6f6f7',
    '#cfe9ec',
    '#a1d3d9',
    '#6fbcc6',
    '#46a8b5',
    '#2b97a6',
    '#178394',
    '#0b6b7d',
    '#085869',
    '#04414f',
];

/** Warm: warnings and whoever must leave. Nothing else. */
const coral: MantineColorsTuple = [
    '#fff0ea',
    '#fddfd3',
    '#f9bda7',
    '#f49876',
    '#ee7a50',
    '#e9673a',
    '#d9562b',
    '#b94420',
    '#97371b',
    '#742914',
];

const sand: MantineColorsTuple = [
    '#fbf6ea',
    '#f4ead2',
    '#e9d6a8',
    '#dec17b',
    '#d4ae55',
    '#c99a37',
    '#a97e26',
    '#86631c',
    '#694d16',
    '#4d380f',
];

/** The grounds of the dark side: the sea at night. From text to the deepest. */
const dark: MantineColorsTuple = [
    '#d3e0e3',
    '#b4c6cb',
    '#8aa2a9',
    '#5b737b',
    '#35505a',
    '#20363e',
    '#16262b',
    '#132024',
    '#0f1a1e',
    '#0d1518',
];

/** Dense, calm. Sizes are small because tables are long. */
export const theme = createTheme({
    primaryColor: 'tide',
    primaryShade: { light: 7, dark: 7 },
    colors: { tide, coral, sand, dark },
    defaultRadius: 'sm',
    fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif',
    fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
    headings: { fontWeight: '600' },
    cursorType: 'pointer',
    respectReducedMotion: true,
    components: {
        // Mantine would lock scrolling by a <style>, which the policy of the server forbids; console.css does it.
        Modal: { defaultProps: { lockScroll: false, centered: true, size: 'lg' } },
        Drawer: { defaultProps: { lockScroll: false } },
        CloseButton: { defaultProps: { 'aria-label': common.close } },
        Button: { defaultProps: { size: 'xs' } },
        // What explains an input stands below it, so that inputs side by side stand in a line.
        InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
        TextInput: { defaultProps: { size: 'sm' } },
        Tooltip: { defaultProps: { withArrow: true, multiline: true, maw: 360, openDelay: 150 } },
        Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 600, miw: 'max-content' } },
    },
});
