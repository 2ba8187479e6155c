import { beforeAll, expect, test } from 'vitest';
import { useHouse } from './harness/house';
import { makeQuota, makeUser, makeWorkspace } from './harness/people';

const house = useHouse();

beforeAll(async () => {
    const { server } = house;
    await makeQuota(server, 'vision-gpus', { parent: 'main', guarantee: { gpu: 32 } });
    await makeWorkspace(server, 'vision', ['vision-gpus']);
    await makeUser(server, 'carl', { vision: 'developer' });
    const path = '/api/v1/workspaces/vision/policies/vision-gpus';
    const { version } = await server.call<{ version: string }>('GET', path);
    const presets = [
        { name: 'small', resources: { gpu: 0.5, cpu: 4, memory: '16Gi' } },
        { name: 'node', resources: { gpu: 8 }, modules: ['training'] },
    ];
    await server.call('PUT', path, { spec: { presets } }, { 'if-match': `"${version}"` });
});

test('sizes that a workspace offers fill the form, those that fit the kind of work', async () => {
    const carl = await house.enter('carl', '/workloads/new');
    const { page } = carl;
    const verdict = page.getByTestId('verdict');
    const size = page.getByRole('combobox', { name: 'Size' });
    const gpus = page.getByLabel('GPUs each');
    await page.getByRole('heading', { name: 'Submit a workload' }).waitFor();
    await page.getByLabel('Name').fill('sized');
    await page.getByLabel('Played for').fill('10h');
    await size.click();
    await page.getByRole('option', { name: 'node' }).click();
    await expect.poll(() => gpus.inputValue()).toBe('8');
    await page.getByTestId('total').getByText('8 GPUs in all, 1 replica').waitFor();

    // What is for training alone is not offered to a notebook.
    await page.getByText('Notebook', { exact: true }).click();
    await size.click();
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['small']);
    await page.getByRole('option', { name: 'small' }).click();
    await expect.poll(() => gpus.inputValue()).toBe('0.5');
    await expect.poll(() => page.getByLabel('Cores each').inputValue()).toBe('4');
    await expect.poll(() => page.getByLabel('Memory each').inputValue()).toBe('16Gi');
    // A size is where one begins, not where one has to stay.
    await page.getByLabel('Cores each').fill('2');
    await verdict.getByRole('heading', { name: 'Would start now' }).waitFor();
    await carl.look('workload-form-preset');
    await verdict.getByRole('button', { name: 'Submit' }).click();
    await page.getByRole('heading', { name: /^sized/ }).waitFor();
    const { spec } = await house.server.call('GET', '/api/v1/workloads/sized');
    expect(spec).toMatchObject({ module: 'notebook', resources: { gpu: 0.5, cpu: 2, memory: '16Gi' } });
    await carl.close();
});
