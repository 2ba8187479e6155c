export interface Example {
    name: string;
    /** It begins with what is there now. `QUOTA` and `NODE` stand for names that are. */
    fromServer?: boolean;
    text: string;
}

/** Scenarios to begin from. Their comments are read by people. */
export const whatIfExamples: readonly Example[] = [
    {
        name: 'A service takes what two teams use',
        text: `# Two teams fill their quotas; their parent then needs 32 GPUs for a service.
pool h100 16x8 H100
quota Quota1 128 pool=h100 child=1-9:training,notebook
quota Quota1.1 48 parent=Quota1
quota Quota1.2 80 parent=Quota1
at 0s submit b-train Quota1.1 training p3 5x8
at 0s submit b-note  Quota1.1 notebook p1 1x8
at 0s submit c-train Quota1.2 training p2 6x8
at 0s submit c-tune  Quota1.2 training p1 2x8
at 0s submit c-note1 Quota1.2 notebook p1 1x4
at 0s submit c-note2 Quota1.2 notebook p2 1x4
at 0s submit c-serve Quota1.2 service p1 1x8
at 1h submit a-serve Quota1 service p5 4x8
at 1h explain c-tune
at 2h finish a-serve
at 3h finish c-serve
at 3h transfer 8 Quota1.2 Quota1.1 refuse
at 3h show
`,
    },
    {
        name: 'Idle GPUs are lent, and taken back',
        text: `# Night: training of one team uses what the other leaves idle. Morning: the owner comes back.
pool h100 4x8 H100
quota All 32 pool=h100
quota Inference 16 parent=All
quota Research  16 parent=All
at 0s submit nightly Research training p2 4x8 for 12h min=2 idle=accept checkpoint=1h
at 8h submit chat    Inference service p6 2x8
at 8h explain nightly
at 20h finish chat
at 20h show
`,
    },
    {
        name: 'High priorities borrow from a neighbour',
        text: `# Priorities 7 to 9 may borrow from siblings and evict priorities 1 to 3 there.
pool h100 4x8 H100
quota All 32 pool=h100
quota Red  16 parent=All self=7-9>1-3:training:both
quota Blue 16 parent=All self=7-9>1-3:training:both
at 0s submit blue-1 Blue training p2 1x8 for 6h
at 0s submit blue-2 Blue training p1 1x8 for 6h
at 0s submit red-1  Red  training p3 2x8 for 6h
at 1h submit urgent Red  training p9 3x8 for 2h
at 1h explain blue-1
at 4h show
`,
    },
    {
        name: 'A node is drained, another is lost',
        text: `pool h100 3x8 H100
quota Q 24 pool=h100
at 0s submit train Q training p3 2x8 for 8h checkpoint=30m
at 0s submit serve Q service p5 1x8
at 1h preview node h100-0 drain
at 1h node h100-0 drain
at 2h node h100-0 ready
at 3h node h100-1 lost
at 4h node h100-1 ready
`,
    },
    {
        name: 'The current state: could a large service start in an hour?',
        fromServer: true,
        text: `# It begins with everything as it is now. Names that exist can be used.
at 0s show
at 1h submit what-if QUOTA service p5 2x8
at 1h explain what-if
at 2h finish what-if
`,
    },
    {
        name: 'The current state: who must leave if a node is drained?',
        fromServer: true,
        text: `# It begins with everything as it is now. Nothing here is done to it.
at 0s preview node NODE drain
at 0s node NODE drain
at 1h node NODE ready
`,
    },
];
