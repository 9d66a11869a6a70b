import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { ExploreFindings, type ExploreFunctionOptions, explore, type StoryParts } from '../../../src/index.ts';

/** The official client, which tries again twice unless it is told not to, and waits for an answer only so long. */
const clientOf = ({ emulator, account }: StoryParts, maxRetries?: number) =>
  new OpenAI({
    baseURL: emulator.baseUrl,
    apiKey: account.apiKey,
    timeout: 1500,
    ...(maxRetries === 0 && { maxRetries }),
  });

async function talks(openai: OpenAI): Promise<void> {
  const messages = [{ role: 'user' as const, content: 'Hello there.' }];
  await openai.chat.completions.create({ model: 'svc-rp-mini', messages });
  await openai.audio.speech.create({ model: 'svc-voice-one', input: 'Good evening.', voice: 'aria' });
}

const OF = { only: ['lost_answer', 'slow'], bound: 1, budget: 0 };

async function findingsOf(story: (parts: StoryParts) => unknown, options: ExploreFunctionOptions = {}) {
  const error = await explore(story, { ...OF, ...options }).catch((thrown: unknown) => thrown);
  if (error instanceof ExploreFindings) return { findings: error.report.findings, message: error.message };
  if (error instanceof Error) throw error;
  return { findings: [], message: '' };
}

it('finds once what the official client pays again, at all sites and however the answer is withheld', async () => {
  const story = (parts: StoryParts) => talks(clientOf(parts));
  const { findings, message } = await findingsOf(story);
  expect(findings).toMatchObject([{ kind: 'verdict', message: expect.stringMatching(/^paid_again: /), seen: 4 }]);
  expect(message).toContain('How to fix it: A chat, speech or transcription makes no job');
  const allowed = { allow: ['paid_again'], only: ['lost_answer'] };
  expect(await findingsOf(story, allowed)).toEqual({ findings: [], message: '' });
});

it('finds nothing paid again or twice of a client that does not try again', async () => {
  const story = async (parts: StoryParts) => {
    await talks(clientOf(parts, 0)).catch(() => undefined);
    await parts.emulator.waitFor.idle({ accountId: parts.account.id });
  };
  expect(await findingsOf(story, { only: ['lost_answer'] })).toEqual({ findings: [], message: '' });
});

it('tells what orders pay twice, and what else breaks, before what is paid again', async () => {
  const story = async (parts: StoryParts) => {
    const openai = clientOf(parts);
    await talks(openai);
    await openai.images.generate({ prompt: 'a pier' });
  };
  let checks = 0;
  const { findings } = await findingsOf(story, {
    only: ['lost_answer'],
    check: async ({ emulator, account }) => {
      checks += 1;
      const speeches = (await emulator.requests(account)).filter(({ path }) => path === '/v1/audio/speech');
      if (speeches.length > 1) throw new Error('It was said twice.');
    },
  });
  expect(checks).toBeGreaterThan(3);
  const told = findings.map(({ kind, message }) => `${kind} ${message.split(/[:.]/)[0]}`);
  expect(told.slice(0, 2).sort()).toEqual(['check It was said twice', 'verdict paid_twice']);
  expect(told.slice(2)).toEqual(['verdict paid_again']);
});

it('refuses to allow what is no code of the verdict, and names the one that was meant', async () => {
  const refused = explore(() => undefined, { allow: ['paid_agian'] });
  await expect(refused).rejects.toThrow(
    '--allow is paid_agian, which is no code of the verdict. Did you mean paid_again?',
  );
});
