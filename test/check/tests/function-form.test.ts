import { expect, it } from 'vitest';
import { mutateTest } from '../../../src/check/vitest.ts';
import { MutateSurvivors, mutate, type StoryParts } from '../../../src/index.ts';
import { verdicts } from './measured-suite.ts';

async function chat({ emulator, account }: StoryParts) {
  const answer = await fetch(`${emulator.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Good evening.' }] }),
  });
  return { status: answer.status, body: (await answer.json()) as { usage: object } };
}

const SHORT = { only: ['spent.*'], budget: 0, trust: true, jobs: 2 };

async function reads(parts: StoryParts) {
  const { body } = await chat(parts);
  expect(body.usage).toEqual({ credits_spent: 1, credits_remaining: 999 });
}

async function looksAway(parts: StoryParts) {
  expect((await chat(parts)).status).toBe(200);
}

it('resolves with the report of a story that notices every lie', async () => {
  const report = await mutate(reads, SHORT);
  expect(report).toMatchObject({ command: 'reads', families: { money: { told: 2, noticed: 2 } }, exit: 0 });
  expect(verdicts(report)).toEqual({ 'spent.zero': 'noticed', 'spent.one_more': 'noticed' });
});

it('rejects with the lies that a story does not notice, unless the share it asks for is reached', async () => {
  const found = await mutate(looksAway, SHORT).catch((error: unknown) => error);
  expect(found).toBeInstanceOf(MutateSurvivors);
  const { message, report } = found as MutateSurvivors;
  expect(message).toContain('Not caught:\n  - usage.credits_spent is 0 (spent.zero, POST /v1/chat');
  expect(verdicts(report)).toEqual({ 'spent.zero': 'survived', 'spent.one_more': 'survived' });
  expect(await mutate(looksAway, { ...SHORT, min: { money: 0 } })).toMatchObject({
    families: { money: { noticed: 0 } },
  });
});

it('says that a story passes with the service dead', async () => {
  const blind = (parts: StoryParts) => chat(parts).catch(() => undefined);
  await expect(mutate(blind, SHORT)).rejects.toThrow('The command passes with the service dead too');
});

it('says what a story fails with by itself', async () => {
  const red = async (parts: StoryParts) => expect((await chat(parts)).status).toBe(201);
  await expect(mutate(red, SHORT)).rejects.toThrow('The command fails by itself: mend that first.');
});

mutateTest('passes as a test of Vitest where the story notices every lie', reads, SHORT);
