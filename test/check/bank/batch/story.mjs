import { fileOf } from '../bank-account.mjs';
import { fetch } from '../plain-fetch.mjs';

// Carol has clips made of two of her pictures, with a character of hers in both.

/** What there is before the story: a character, and an engine that takes one. */
export async function prepare({ emulator, account }) {
  const element = { account_id: account.id, handle: 'keeper', kind: 'character', name: 'The keeper' };
  const headers = { 'content-type': 'application/json' };
  await fetch(`${emulator.url}/_emulator/elements`, { method: 'POST', headers, body: JSON.stringify(element) });
  const models = await (await fetch(`${emulator.url}/_emulator/models`)).json();
  return { ENGINE: models.data.find(({ engine }) => engine?.label === 'M').id };
}

export async function story(port) {
  const { items } = await (await fetch(`http://127.0.0.1:${port}/run`, { method: 'POST' })).json();
  const odd = items.find(({ state, sha }) => (state === 'done') !== (sha !== null) || state === 'open');
  if (odd) throw new Error(`The ${odd.name} clip is ${odd.state}, ${odd.sha ? 'with' : 'without'} a file.`);
  const refused = items.find(({ state }) => !['done', 'failed', 'unpaid'].includes(state));
  if (refused) throw new Error(`The ${refused.name} clip is ${refused.state}.`);
}

/** What was paid for is there, and nothing was ordered twice. */
export function check({ state: { items }, jobs }) {
  const clips = jobs.filter(({ object }) => object === 'video.generation');
  const done = items.filter((item) => item.state === 'done').length;
  const succeeded = clips.filter(({ status }) => status === 'succeeded');
  if (done !== succeeded.length) throw new Error(`${done} clips were kept of ${succeeded.length} that were paid.`);
  if (clips.length > items.length)
    throw new Error(`${clips.length} clips were ordered where ${items.length} were wanted.`);
}

/** No clip is left, also after one that failed, and each file is the one that was made for it. */
export async function checkEnd({ state: { items }, jobs }) {
  const open = items.find(({ state }) => state === 'open');
  if (open) throw new Error(`The ${open.name} clip is still open.`);
  const succeeded = jobs.filter(({ object, status }) => object === 'video.generation' && status === 'succeeded');
  const made = await Promise.all(succeeded.map((clip) => fileOf('videos', clip)));
  const odd = items.find(
    ({ seed, sha }) => sha !== null && !made.some((each) => each.seed === seed && each.sha === sha),
  );
  if (odd) throw new Error(`The ${odd.name} clip is another file.`);
}
