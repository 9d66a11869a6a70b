import type { OutputLine } from '../../../src/base/output/output-line.ts';
import { CHAT } from '../../support/wire.ts';
import type { TestAccount, World } from '../../support/world.ts';

/** Plays a failed run of a shop: a chat, a song of which one take fails, and a test that did not expect this. */
export async function runShop(emulator: World, account: TestAccount) {
  const began = Date.now();
  const output: OutputLine[] = [];
  const say = (text: string, from: OutputLine['from'] = 'out') => output.push({ at: Date.now(), from, text });
  say('$ vitest run shop.test.ts');
  await account.post('/chat/completions', CHAT);
  say('\u001b[32m ✓ answers a chat\u001b[39m 12 ms');
  const order = { prompt: 'a waltz for two fiddles [[fail:take=2]]', n: 2, seconds: 30 };
  const song = await account.post('/music/generations', order);
  const [, failing] = song.body.data;
  await emulator.idle();
  await account.get(`/music/generations/${failing.id}`);
  say(' ✕ refunds a failed take 900 ms');
  say('   AssertionError: expected 994 to be 997', 'err');
  return { began, output, title: 'vitest run shop.test.ts', exit: 1, song };
}

export async function traceOf(emulator: World, order: object = {}): Promise<string> {
  const answer = await emulator.control('POST', '/trace', order);
  if (answer.status !== 200) throw new Error(answer.bytes.toString());
  return answer.bytes.toString();
}
