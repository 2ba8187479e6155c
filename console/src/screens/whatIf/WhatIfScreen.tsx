import { Button, Group, Menu, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Problem } from '../../api/problem';
import { simulations, type Run } from '../../api/queries/simulations';
import { useSession } from '../../session/session';
import { text } from '../../texts';
import type { Example } from '../../texts/en/whatIfExamples';
import { Page, Section } from '../../ui/Page';
import { fill } from './examples';
import { offsetOf } from './highlight';
import { keepScenario, keptScenario } from './kept';
import { RunView } from './RunView';
import { ScenarioEditor } from './ScenarioEditor';
import { ScenarioProblem, spotOf } from './ScenarioProblem';
import { Vocabulary } from './Vocabulary';
import styles from './WhatIfScreen.module.css';

const words = text.whatIf;
const TYPING_MS = 500;
const ERROR_ID = 'scenario-problem';

/** A scenario on one side, what becomes of it on the other. It runs as one types. */
export function WhatIfScreen() {
    const { from, of } = useSearch({ from: '/app/what-if' });
    const navigate = useNavigate({ from: '/what-if' });
    const client = useQueryClient();
    const session = useSession();
    const whyNot = session.whyNot('simulation:from-server');
    const fromServer = from === 'server' && whyNot === undefined;

    const [scenario, setScenario] = useState(() => keptScenario() ?? text.whatIfExamples[0]?.text ?? '');
    const [before, setBefore] = useState<string>();
    const [settled] = useDebouncedValue(scenario, TYPING_MS);
    useEffect(() => keepScenario(scenario), [scenario]);
    const { data, error, isFetching, refetch } = useQuery({
        ...simulations.run(settled, fromServer),
        placeholderData: keepPreviousData,
    });
    // A text that cannot be read leaves the last run standing.
    const last = useRef<Run>(undefined);
    if (data !== undefined) last.current = data;
    const problem = error ? Problem.from(error) : undefined;
    const spot = scenario === settled ? spotOf(problem) : undefined;

    const field = useRef<HTMLTextAreaElement>(null);
    const change = (part: { from?: 'server'; of?: string }) =>
        void navigate({ search: now => ({ ...now, ...part }), replace: true, resetScroll: false });
    const begin = async (example: Example) => {
        const filled = await fill(client, example);
        setBefore(scenario);
        setScenario(filled);
        change({ from: example.fromServer ? 'server' : undefined, of: undefined });
    };
    const show = () => {
        if (!spot || !field.current) return;
        const at = offsetOf(scenario, spot);
        field.current.focus();
        field.current.setSelectionRange(at, at);
    };

    return (
        <Page title={words.title} about={words.about}>
            <div className={styles.columns}>
                <div className={styles.editor}>
                    <Section
                        title={words.editor.title}
                        actions={
                            <Examples seesServer={whyNot === undefined} onBegin={one => void begin(one)} />
                        }
                    >
                        <Stack gap="sm">
                            <ScenarioEditor
                                ref={field}
                                value={scenario}
                                onChange={setScenario}
                                onRun={() => void refetch()}
                                error={spot}
                                errorId={ERROR_ID}
                            />
                            <ScenarioProblem id={ERROR_ID} problem={problem} spot={spot} onShow={show} />
                            <Switch
                                size="sm"
                                label={words.editor.fromServer}
                                description={whyNot ?? words.editor.fromServerHint}
                                disabled={whyNot !== undefined}
                                checked={fromServer}
                                onChange={event =>
                                    change({ from: event.currentTarget.checked ? 'server' : undefined })
                                }
                            />
                            <Group justify="space-between">
                                <Text size="xs" c="dimmed">
                                    {words.editor.hint}
                                </Text>
                                <Group gap="xs">
                                    {before !== undefined && before !== scenario && (
                                        <Button
                                            variant="default"
                                            onClick={() => {
                                                setScenario(before);
                                                setBefore(undefined);
                                            }}
                                        >
                                            {words.editor.undo}
                                        </Button>
                                    )}
                                    <Button
                                        loading={isFetching}
                                        title={words.editor.runHint}
                                        onClick={() => void refetch()}
                                    >
                                        {words.editor.run}
                                    </Button>
                                </Group>
                            </Group>
                            <Vocabulary />
                        </Stack>
                    </Section>
                </div>
                {last.current ? (
                    <RunView
                        run={last.current}
                        isOld={problem !== undefined}
                        chosen={of}
                        onChoose={name => change({ of: name })}
                    />
                ) : (
                    !problem && <Skeleton height={320} />
                )}
            </div>
        </Page>
    );
}

function Examples({ seesServer, onBegin }: { seesServer: boolean; onBegin(example: Example): void }) {
    return (
        <Menu position="bottom-end" width={360}>
            <Menu.Target>
                <Button variant="default">{words.editor.examples}</Button>
            </Menu.Target>
            <Menu.Dropdown>
                {text.whatIfExamples
                    .filter(example => seesServer || !example.fromServer)
                    .map(example => (
                        <Menu.Item key={example.name} onClick={() => onBegin(example)}>
                            {example.name}
                        </Menu.Item>
                    ))}
            </Menu.Dropdown>
        </Menu>
    );
}
