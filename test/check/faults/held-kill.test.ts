import { expect, it } from 'vitest';
import { VirtualClock } from '../../../src/base/clock/virtual-clock.ts';
import { armHold } from '../../../src/check/faults/held-sites.ts';
import type { Site } from '../../../src/check/faults/site.ts';
import { ControlConnection } from '../../../src/control/control-connection.ts';
import { subscribe } from '../../support/receiver.ts';
import { CHAT } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const SONG = { model: 'svc-music-one', prompt: 'a song about the rain', seconds: 30, n: 1, seed: 7 };

/** An account whose webhook receiver is the app, and a list of what happened to the app, in order. */
async function appBeside() {
  const emulator = await world();
  const account = await emulator.account();
  const befell: string[] = [];
  const { receiver } = await subscribe(account, ['music.generation.succeeded']);
  const app = {
    kill: async () => void befell.push('killed'),
    restart: async () => void befell.push('started'),
  };
  const { call: control } = new ControlConnection(emulator.url);
  const context = { control, accountId: account.id };
  const clock = new VirtualClock();
  // The time stands still, so no wait times out on a busy machine.
  clock.real = () => 1_000_000;
  const toArm = { slowMs: () => 1000, onWaitedOut: () => {} };
  const run = { context, clock, app, toArm, signal: new AbortController().signal };
  const watch = (kind: Site['kind'], kill: 'before' | 'during') => {
    const path = kind === 'delivery' ? '/v1/music/generations' : '/v1/chat/completions';
    const site: Site = { name: `${kind} #1`, kind, about: [], match: { method: 'POST', path }, traits: {} };
    return armHold({ site, act: { kill }, match: site.match }, run);
  };
  return { account, befell, receiver, control, watch };
}

it('kills an app only after it has responded to an open delivery, and completes a request held meanwhile', async () => {
  const { account, befell, receiver, control, watch } = await appBeside();
  let answer = () => {};
  const asked = new Promise<void>((resolve) => (answer = resolve));
  receiver.answer(async () => {
    await asked;
    befell.push('heard');
    return { status: 204 };
  });
  await account.post('/music/generations', SONG);
  await receiver.received(1);
  const { over, upAgain } = await watch('call', 'during');
  await upAgain();
  const chat = account.post('/chat/completions', CHAT);
  // A second hold appears once the request is held. It holds deliveries until the app is up again.
  for (let holds: unknown[] = []; holds.length < 2; ) holds = (await control('listHolds', {})).data;
  expect(befell).toEqual([]);
  const found = upAgain().then(() => befell.push('found up'));
  answer();
  await over;
  await found;
  expect(befell).toEqual(['heard', 'killed', 'started', 'found up']);
  expect((await chat).status).toBe(200);
  expect(await account.deliveries()).toMatchObject([{ status: 'delivered' }]);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -3', 'charge -1']);
});

it('kills an app before a delivery arrives, so that the delivery is lost, and restarts the app', async () => {
  const { account, befell, receiver, watch } = await appBeside();
  const { over } = await watch('delivery', 'before');
  await account.post('/music/generations', SONG);
  await over;
  expect(befell).toEqual(['killed', 'started']);
  expect(await account.deliveries()).toMatchObject([{ status: 'failed', fault: 'drop' }]);
  expect(receiver.requests).toEqual([]);
});
