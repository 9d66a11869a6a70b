import path from 'node:path';
import { expect, it } from 'vitest';
import type { ConfigOptions } from '../../../src/base/config/config.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { demoState, populated } from '../../support/demo-rig.ts';
import { World, world } from '../../support/world.ts';

const PATIENCE = { timeout: 180_000 };

const FLOWS = ['Song with cover and teaser', 'Narrated slideshow', 'Daily post'];
const LEDGER = [
  ...['grant 50', 'top_up 99950', 'charge -3', 'charge -1', 'charge -12', 'charge -60'],
  ...['charge -3', 'charge -3', 'charge -3', 'charge -60', 'refund 60', 'charge -1', 'charge -10'],
];

const undisturbed = await world({ demo: true, seed: 7 });

const on = (dataDir: string, options: ConfigOptions = {}) => world({ ephemeral: false, dataDir, ...options });

async function flowNames(at: World): Promise<string[]> {
  const { body } = await at.control('GET', '/flows');
  return body.data.map(({ name }: { name: string }) => name);
}

it(
  'starts the demo with three flows and an account whose renders were charged and announced [I021]',
  PATIENCE,
  async () => {
    const account = await populated(undisturbed);
    expect(await flowNames(undisturbed)).toEqual(FLOWS);
    expect(await account.ledger()).toEqual(LEDGER);
    expect((await account.library()).map(({ kind }) => kind)).toEqual([
      ...['image', 'video', 'music', 'music', 'speech', 'image'],
    ]);
    const events = [
      ...['image.generation.succeeded', 'video.generation.succeeded', 'music.generation.succeeded'],
      ...['music.generation.succeeded', 'video.generation.failed', 'image.generation.succeeded'],
      'flow.run.waiting',
    ];
    expect(await account.events()).toEqual(events);
    const { body: inbox } = await undisturbed.control('GET', '/inbox/demo/messages');
    const messages = inbox.data.toReversed();
    expect(messages.map(({ body }: { body: string }) => JSON.parse(body).type)).toEqual(events);
    for (const { signature } of messages) expect(signature.verified).toBe(true);
    const { body: runs } = await undisturbed.control('GET', '/runs');
    expect(runs.data).toMatchObject([{ status: 'waiting', step: 3, credits: 11 }]);
    const { body: elements } = await undisturbed.control('GET', '/elements');
    expect(elements.data[0]).toMatchObject({ handle: 'mara' });
    expect(await undisturbed.invariants()).toMatchObject({ ok: true });
  },
);

it(
  'creates the same demo with the same seed, even after a reset during its creation, and nothing new at a second start',
  PATIENCE,
  async () => {
    const folder = path.join(emptyFolder(), 'data');
    const here = await on(folder, { demo: true, seed: 7 });
    await here.wait('event:image.generation.succeeded', { timeout: 120 });
    expect((await here.control('POST', '/reset')).status).toBeLessThan(300);
    const whole = await demoState(await populated(here));
    expect(whole).toEqual(await demoState(await populated(undisturbed)));
    await here.close();

    const again = await on(folder, { demo: true, seed: 7 });
    await again.idle();
    expect(await demoState(await again.first())).toEqual(whole);
    expect((await again.control('GET', '/inbox/demo/messages')).body.data).toEqual([]);
  },
);

it('completes the demo after a stop during its creation, and creates nothing twice', PATIENCE, async () => {
  const folder = path.join(emptyFolder(), 'data');
  const here = await on(folder, { demo: true });
  await here.wait('event:image.generation.succeeded', { timeout: 120 });
  await here.close();

  const again = await on(folder, { demo: true });
  const account = await populated(again);
  expect(await flowNames(again)).toEqual(FLOWS);
  expect((await account.ledger()).toSorted()).toEqual(LEDGER.toSorted());
  expect(await account.events()).toHaveLength(7);
  expect((await again.control('GET', '/elements')).body.data).toHaveLength(1);
  expect(await again.invariants()).toMatchObject({ ok: true });
});

it('does not change an existing data folder, and creates the demo in it after a reset', PATIENCE, async () => {
  const folder = path.join(emptyFolder(), 'data');
  await (await on(folder)).close();

  const here = await on(folder, { demo: true });
  await here.idle();
  expect(await flowNames(here)).toEqual([]);
  expect(await (await here.first()).ledger()).toEqual(['grant 50', 'top_up 99950']);
  expect((await here.control('GET', '/requests')).body.data).toEqual([]);

  await here.control('POST', '/reset');
  await here.wait('event:image.generation.succeeded', { timeout: 120 });
  expect(await flowNames(here)).toEqual(FLOWS);
});

it('starts the demo in strict mode without its webhook endpoint, which strict mode rejects', async () => {
  const here = await world({ demo: true, strict: true });
  expect(await flowNames(here)).toEqual(FLOWS);
  expect((await here.control('GET', '/endpoints')).body.data).toEqual([]);
});

it(
  'starts the demo if --host is not loopback, without the parts that its credits do not cover, and charges nothing for them',
  PATIENCE,
  async () => {
    const token = 'a-long-enough-token';
    const { emulator } = await world({ demo: true, credits: 50, host: '0.0.0.0', controlToken: token });
    const here = new World({ ...emulator, url: emulator.url.replace('0.0.0.0', '127.0.0.1') });
    const look = async (what: string) => {
      const authorization = `Bearer ${token}`;
      return (await here.call('GET', `/_emulator/${what}`, undefined, { authorization })).body;
    };
    await look('wait?for=delivery:flow.run.waiting&timeout=120');
    const [{ id, credits }] = (await look('accounts')).data;
    const entries = (await look(`accounts/${id}/usage`)).data.toReversed();
    expect(entries.map(({ amount }: { amount: number }) => amount)).toEqual([
      ...[50, -3, -1, -12, -3, -3, -3, -1, -10],
    ]);
    expect(credits).toBe(14);
    const types = (await look('inbox/demo/messages')).data.map(({ body }: { body: string }) => JSON.parse(body).type);
    expect(types).not.toContain('video.generation.failed');
    expect(types).toHaveLength(5);
  },
);
