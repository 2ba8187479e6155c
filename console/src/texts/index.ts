import { en } from './en';

/** What every language has to say. */
export type Texts = typeof en;

/** All words that people read. There is one language so far; another one is another value of this type. */
export const text: Texts = en;
