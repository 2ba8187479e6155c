import { common } from './en/common';
import { nodes } from './en/nodes';
import { overview } from './en/overview';
import { problem } from './en/problem';
import { quotas } from './en/quotas';
import { session } from './en/session';
import { shell } from './en/shell';

/** The console in English: one file per screen. Texts with figures are functions. */
export const en = { common, nodes, overview, problem, quotas, session, shell };
