import { expect, it } from 'vitest';
import { World } from '../support/world.ts';
import { emptyFolder, SpawnedProgram } from './spawned-program.ts';

it('starts the demo with --ephemeral, and says when all its work is complete', async () => {
  const program = new SpawnedProgram(['demo', '--port', '0', '--ephemeral'], {}, emptyFolder());
  const here = new World({ url: await program.ready() });
  await program.heard('stderr', (text) => text.includes('the demo is complete') || undefined);
  const read = async (list: string): Promise<{ type?: string; status: string }[]> =>
    (await here.control('GET', `/${list}`)).body.data;
  const [deliveries, jobs, requests] = [await read('deliveries'), await read('jobs'), await read('requests')];
  expect(deliveries.map(({ type }) => type)).toContain('flow.run.waiting');
  const states = [...deliveries, ...jobs].map(({ status }) => status);
  expect(states.filter((status) => !['delivered', 'failed', 'succeeded'].includes(status))).toEqual([]);
  expect((await here.control('GET', '/wait?for=idle')).status).toBe(200);
  expect(await read('requests')).toEqual(requests);
  expect(await program.stop()).toBe(0);
});
