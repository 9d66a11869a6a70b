import { expect, it } from 'vitest';
import { type ExploreReport, explore, type StoryParts } from '../../../src/index.ts';

interface Answer {
  data?: { id: string }[];
  result_url?: string;
}

/** Orders a song and fetches its file; where that fails `again` answers the URL that is tried next. */
function fetching(again: (url: string, read: () => Promise<string>) => string | Promise<string>) {
  return async ({ emulator, account }: StoryParts) => {
    const headers = { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' };
    const ask = async (path: string, body?: object) => {
      const method = body ? 'POST' : 'GET';
      const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
      return (await (await fetch(`${emulator.url}/v1${path}`, init)).json()) as Answer;
    };
    const order = { model: 'svc-music-one', prompt: 'a song about the rain', seconds: 30, n: 1, seed: 7 };
    const { data: [take] = [] } = await ask('/music/generations', order);
    await emulator.control.waitFor({ for: 'idle', accountId: account.id, timeout: 10 });
    const read = async () => (await ask(`/music/generations/${take?.id}`)).result_url ?? '';
    const url = await read();
    const statusOf = async (at: string) => {
      const answer = await fetch(at);
      await answer.arrayBuffer();
      return answer.status;
    };
    if ((await statusOf(url)) === 403) await statusOf(await again(url, read));
  };
}

const OPTIONS = { only: ['expired'], bound: 1, budget: 0, noSaved: true };

it('finds who reads a URL again that has expired, though the story passes', async () => {
  const error = await explore(
    fetching((url) => url),
    OPTIONS,
  ).catch((fault: { report: ExploreReport }) => fault);
  const { findings } = (error as { report: ExploreReport }).report;
  expect(findings).toMatchObject([{ kind: 'verdict', schedule: [{ step: 'GET /cdn #1', deviation: 'expired' }] }]);
  expect(findings[0]?.message).toMatch(/^used_expired_url: /);
});

it('finds nothing where the job is read anew: the read that is struck is not the use of an expired URL', async () => {
  const report = await explore(
    fetching((_, read) => read()),
    OPTIONS,
  );
  expect(report).toMatchObject({ findings: [], schedules_left: 0, by_deviation: { expired: { run: 1, failed: 0 } } });
});
