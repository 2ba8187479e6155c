import { beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { useHouse } from './harness/house';
import { choosePassword, makeUser, makeWorkspace } from './harness/people';
import { startServer } from './harness/server';

const house = useHouse(() => startServer('1x2', 'isolation = "none"\nallow-shared-user = true\n', 'local'));

beforeAll(async () => {
    await choosePassword(house.server, 'admin');
    await makeWorkspace(house.server, 'team-b');
    await makeUser(house.server, 'berta', { 'team-b': 'developer' });
    await makeUser(house.server, 'gus', { 'team-b': 'guest' });
});

const SCHEMA = {
    type: 'object',
    required: ['text'],
    additionalProperties: false,
    properties: {
        text: { type: 'string', maxLength: 200, description: 'What is measured' },
        unit: { enum: ['bytes', 'letters'], default: 'bytes' },
        times: { type: 'integer', minimum: 1, maximum: 5 },
        loud: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' } },
    },
};
const COMMAND = `sh -c 'printf "{\\"bytes\\": %d}" $(wc -c < "$TIDEGATE_INPUT") > "$TIDEGATE_OUTPUT"; cp "$TIDEGATE_INPUT" "$TIDEGATE_OUTPUT_DIR/copy.json"; echo measured'`;

const verdict = (page: Page) => page.getByTestId('verdict');

test('a template is made, a task of it is run by a form of its schema, and gives back an answer and a file', async () => {
    const admin = await house.enter('admin', '/quotas/main');
    const { page } = admin;
    // Tasks run where a platform administrator lets everybody's run.
    await page.getByRole('switch', { name: 'Shared compute' }).click();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByTestId('preview').getByRole('button', { name: 'Save' }).click();
    await expect
        .poll(async () => (await house.server.call<{ spec: object }>('GET', '/api/v1/quotas/main')).spec)
        .toMatchObject({ shared: true, queue: { strategy: 'fair' } });
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByText('No task was run yet').waitFor();
    await admin.look('tasks-empty');
    await page.getByRole('link', { name: 'Templates', exact: true }).click();
    await page.getByText('There are no templates yet').waitFor();
    await page.getByRole('link', { name: 'New template' }).click();
    await page.getByRole('heading', { name: 'New template', exact: true }).waitFor();
    await page.getByLabel('Name').fill('measure');
    await page.getByLabel('Description').fill('How long a text is');
    await page.getByLabel('Command').fill(COMMAND);
    await page.getByLabel('Cores').fill('0.1');
    await page.getByLabel('Memory').fill('64Mi');
    await page.getByLabel('Runs at most').fill('soon');
    await verdict(page).getByRole('heading', { name: 'Would be refused' }).waitFor();
    expect(await page.getByLabel('Runs at most').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Runs at most').fill('1m');
    await page.getByLabel('Schema of inputs').fill('{');
    await page.getByText('This is not JSON').waitFor();
    await page.getByLabel('Schema of inputs').fill(JSON.stringify(SCHEMA, null, 2));
    await page
        .getByRole('group', { name: 'The form that this makes' })
        .getByLabel('Unit', { exact: true })
        .waitFor();
    await verdict(page).getByRole('heading', { name: 'Version 1 of a new template' }).waitFor();
    await admin.look('template-form');
    await verdict(page).getByRole('button', { name: 'Create the template' }).click();
    await page.getByRole('heading', { name: /^measure/ }).waitFor();
    await admin.look('template');

    await page.getByRole('link', { name: 'Run a task' }).click();
    await page.getByRole('heading', { name: 'Run a task' }).waitFor();
    await page.getByLabel('Name').fill('first');
    // What is missing stands at its field, by the server's word.
    await verdict(page).getByRole('heading', { name: 'Would be refused' }).waitFor();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('the tide comes in');
    await page.getByLabel('Times').fill('9');
    await page.getByText(/9.*5/).first().waitFor();
    await page.getByLabel('Times').fill('2');
    await page.getByLabel('Loud').check();
    await page.getByRole('combobox', { name: 'Unit' }).click();
    await page.getByRole('option', { name: 'letters' }).click();
    await page.getByRole('combobox', { name: 'Tags' }).fill('sea');
    await page.keyboard.press('Enter');
    await verdict(page).getByRole('heading', { name: 'Would start now' }).waitFor();
    await admin.look('task-form');
    await page.getByText('JSON', { exact: true }).click();
    const typed: unknown = JSON.parse(await page.getByLabel('Inputs as JSON').inputValue());
    const inputs = { text: 'the tide comes in', unit: 'letters', times: 2, loud: true, tags: ['sea'] };
    expect(typed).toEqual(inputs);
    await page.getByText('Fields', { exact: true }).click();
    await verdict(page).getByRole('button', { name: 'Run', exact: true }).click();

    // It ends while one looks at it.
    await page.getByRole('heading', { name: /^first/ }).waitFor();
    await page.getByText('Succeeded', { exact: true }).waitFor();
    const output = page.getByRole('region', { name: 'Output' }).last();
    await output.getByText(`"bytes": ${JSON.stringify(inputs).length}`).waitFor();
    await page.getByRole('row', { name: /copy\.json/ }).waitFor();
    await admin.look('task');
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download copy.json' }).click();
    expect((await saved).suggestedFilename()).toBe('copy.json');
    const stop = page.getByRole('button', { name: 'Cancel the task' });
    expect(await stop.getAttribute('aria-disabled')).toBe('true');

    await page.getByRole('link', { name: 'Its output as text' }).click();
    await page.getByRole('log').getByText('measured').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Run another like it' }).click();
    await expect
        .poll(() => page.getByRole('textbox', { name: 'Text', exact: true }).inputValue())
        .toBe('the tide comes in');
    await verdict(page)
        .getByText(/waited .* and ran/)
        .waitFor();
    await admin.close();
});

test('another version has a name that callers rely on, and an older one can still be run', async () => {
    const admin = await house.enter('admin', '/tasks/templates/measure');
    const { page } = admin;
    await page.getByRole('link', { name: 'New version' }).click();
    await page.getByRole('heading', { name: 'New version of measure' }).waitFor();
    await verdict(page).getByRole('heading', { name: 'The program stays as it is' }).waitFor();
    await page.getByRole('textbox', { name: 'Aliases' }).fill('stable=1');
    await page.getByLabel('Retries').fill('2');
    await verdict(page).getByRole('heading', { name: 'Version 2' }).waitFor();

    // Somebody is faster.
    const { metadata, spec } = await house.server.call<{ metadata: { version: string }; spec: object }>(
        'GET',
        '/api/v1/templates/measure',
    );
    await house.server.call(
        'PUT',
        '/api/v1/templates/measure',
        { metadata: { name: 'measure' }, spec: { ...spec, description: 'How many bytes' } },
        { 'if-match': `"${metadata.version}"` },
    );
    await verdict(page).getByRole('button', { name: 'Make version 2' }).click();
    const conflict = page.getByTestId('conflict');
    await conflict
        .getByRole('row', { name: /description How long a text is How many bytes How long a text is/ })
        .waitFor();
    await admin.look('template-conflict');
    await conflict.getByRole('button', { name: 'Apply mine to the new version' }).click();
    await verdict(page).getByRole('button', { name: 'Make version 2' }).click();
    const old = page.getByRole('row', { name: /^Show version 1 stable/ });
    await old.waitFor();
    await admin.look('template-versions');
    await old.getByRole('link', { name: 'Show version 1' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('version')).toMatch(/1/);
    await page.getByRole('link', { name: 'Run a task' }).click();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('ebb');
    await verdict(page).getByText('runs measure, version 1').waitFor();
    await page.getByRole('combobox', { name: 'Version' }).click();
    await page.getByRole('option', { name: 'stable (1)' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('version')).toBe('stable');
    await admin.close();
});

test('tasks are narrowed by state, template and name in the address; what waits says why and is cancelled', async () => {
    const slow = { command: ['sleep', '600'], resources: { cpu: 0.1, memory: '64Mi', gpu: 1 } };
    await house.server.call('POST', '/api/v1/templates', { metadata: { name: 'slow' }, spec: slow });
    for (const name of ['slow-a', 'slow-b', 'slow-c'])
        await house.server.call('POST', '/api/v1/tasks', { name, template: 'slow', workspace: 'team-b' });
    const bad = { command: ['sh', '-c', 'exit 3'], resources: { cpu: 0.1, memory: '64Mi' } };
    await house.server.call('POST', '/api/v1/templates', { metadata: { name: 'bad' }, spec: bad });
    await house.server.call('POST', '/api/v1/tasks', { name: 'wrong', template: 'bad', workspace: 'team-b' });

    const admin = await house.enter('admin', '/tasks');
    const { page } = admin;
    const rows = page.getByRole('table').getByRole('row');
    await page.getByRole('row', { name: /slow-c Waiting number 1 in the queue; short 1/ }).waitFor();
    await page.getByRole('row', { name: /wrong Failed exit code 3/ }).waitFor();
    await admin.look('tasks');
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Running' }).click();
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole('combobox', { name: 'Template' }).click();
    await page.getByRole('option', { name: 'bad' }).click();
    await page.getByText('No task fits these filters').waitFor();
    await page.goto(`${house.server.url}/tasks?find=slow&template=slow`);
    await expect.poll(() => rows.count()).toBe(4);
    expect(await page.getByRole('textbox', { name: 'Name begins with' }).inputValue()).toBe('slow');

    await page.getByRole('row', { name: /slow-c/ }).click();
    await page.getByRole('heading', { name: 'Why it waits' }).waitFor();
    await admin.look('task-waits');
    await page.getByRole('button', { name: 'Cancel the task' }).click();
    await page.getByTestId('preview').getByText('1 workload will end').waitFor();
    await page.getByTestId('preview').getByRole('button', { name: 'Cancel the task' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Its workload' }).click();
    await page.getByText('Stopped', { exact: true }).first().waitFor();
    await admin.close();
    for (const name of ['slow-a', 'slow-b'])
        await house.server.call('POST', `/api/v1/tasks/${name}:cancel?workspace=team-b`);
});

test('a developer makes a template of the own workspace; what is not allowed says why', async () => {
    const berta = await house.enter('berta', '/tasks/templates');
    const { page } = berta;
    await page.getByRole('link', { name: 'measure', exact: true }).click();
    const change = page.getByRole('link', { name: 'New version' });
    await change.waitFor();
    expect(await change.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('link', { name: 'All templates' }).click();
    await page.getByRole('link', { name: 'New template' }).click();
    await page.getByRole('heading', { name: 'New template', exact: true }).waitFor();
    await page.getByLabel('Name').fill('own');
    await page.getByLabel('Command').fill('true');
    await verdict(page).getByText('It can be used by team-b.').waitFor();
    await verdict(page).getByRole('button', { name: 'Create the template' }).click();
    await page.getByRole('heading', { name: /^own/ }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByTestId('preview').getByText('All of its versions go.').waitFor();
    await page.getByTestId('preview').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('row', { name: /measure/ }).waitFor();
    expect(await page.getByRole('row', { name: /^own/ }).count()).toBe(0);
    await berta.close();

    const gus = await house.enter('gus', '/tasks');
    await gus.page.getByRole('row', { name: /slow-a/ }).waitFor();
    expect(await gus.page.getByRole('link', { name: 'Run a task' }).getAttribute('aria-disabled')).toBe(
        'true',
    );
    await gus.close();
});
