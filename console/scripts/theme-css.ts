import {
    convertCssVariables,
    defaultCssVariablesResolver,
    mergeMantineTheme,
    DEFAULT_THEME,
} from '@mantine/core';
import type { Plugin } from 'vite';
import { theme } from '../src/ui/theme.ts';

const ID = 'virtual:theme.css';

/**
 * The theme's variables as a stylesheet. Mantine would put them into a `<style>` of the page, which the policy of
 * the server forbids.
 */
export function themeCss(): Plugin {
    return {
        name: 'tidegate-theme-css',
        resolveId: id => (id === ID ? `\0${ID}` : undefined),
        load(id) {
            if (id !== `\0${ID}`) return undefined;
            const full = mergeMantineTheme(DEFAULT_THEME, theme);
            return convertCssVariables(defaultCssVariablesResolver(full), ':root');
        },
    };
}
