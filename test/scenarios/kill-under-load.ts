import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { type Life, startLife } from '../support/lives.ts';
import { subscribe } from '../support/receiver.ts';
import type { Answer, TestAccount } from '../support/world.ts';
import { EVENTS, engineM, expectAllKept, expectToldOnce, numbers, type Order, orders } from './mixed-load.ts';

/** Kills the program under mixed load, starts it again on its folder, and holds it to all it had promised. */
export async function killUnderLoad(seed: number): Promise<void> {
  const first = await startLife(['--settle-after', '0.05']);
  const account = await first.here.account({ plan: 'studio', credits: 1_000_000 });
  const { receiver } = await subscribe(account, EVENTS);
  const answers = await loadUntilKilled(first, account, numbers(seed));
  const second = await first.next();
  await second.here.advance(0);
  await expectAllKept(account.in(second.here), answers);
  expectToldOnce(receiver);
  await second.program.stop();
  expect(readdirSync(path.join(first.folder, 'tmp'))).toEqual([]);
}

/** Orders everything at once, over and over; after a number of answers that the seed gives, the kill comes at once. */
async function loadUntilKilled(
  { program, here }: Life,
  account: TestAccount,
  random: Generator<number>,
): Promise<Answer[]> {
  const id = await engineM(here);
  const answers: Answer[] = [];
  const enough = 5 + (random.next().value % 40);
  const repeat = async (order: (n: number) => Order) => {
    for (let n = random.next().value % 8; ; n += 1) {
      const { path: to, body } = order(n);
      const answer = await account.post(to, body).catch(() => undefined);
      if (!answer) return;
      answers.push(answer);
      if (answers.length === enough) program.child.kill('SIGKILL');
    }
  };
  await Promise.all(orders(id).map(repeat));
  await program.ended();
  return answers;
}
