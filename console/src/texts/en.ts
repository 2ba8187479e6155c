import { administration } from './en/administration';
import { advice } from './en/advice';
import { audit } from './en/audit';
import { bills } from './en/bills';
import { budgets } from './en/budgets';
import { center } from './en/center';
import { common } from './en/common';
import { compute } from './en/compute';
import { nodes } from './en/nodes';
import { overview } from './en/overview';
import { problem } from './en/problem';
import { quotas } from './en/quotas';
import { session } from './en/session';
import { shell } from './en/shell';
import { start } from './en/start';
import { tasks } from './en/tasks';
import { templates } from './en/templates';
import { usage } from './en/usage';
import { whatIf } from './en/whatIf';
import { whatIfExamples } from './en/whatIfExamples';
import { workloads } from './en/workloads';

/** The console in English: one file per screen. Texts with figures are functions. */
export const en = {
    administration,
    advice,
    audit,
    bills,
    budgets,
    center,
    common,
    compute,
    nodes,
    overview,
    problem,
    quotas,
    session,
    shell,
    start,
    tasks,
    templates,
    usage,
    whatIf,
    whatIfExamples,
    workloads,
};
