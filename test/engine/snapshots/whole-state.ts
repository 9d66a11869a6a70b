import { expect } from 'vitest';
import type { Receiver } from '../../support/receiver.ts';
import { CHAT, fileForm } from '../../support/wire.ts';
import type { TestAccount, World } from '../../support/world.ts';

const LISTS = [
  ...['accounts', 'jobs', 'events', 'deliveries', 'elements', 'library', 'flows'],
  ...['runs', 'faults', 'fixtures', 'progression'],
];

/** The state as clients see it, without the journal and the inboxes. */
export async function wholeState(here: World): Promise<Record<string, unknown>> {
  const state: Record<string, unknown> = {};
  for (const list of LISTS) {
    const { body } = await here.control('GET', `/${list}`);
    state[list] = body.data ?? body;
  }
  for (const { id } of state.accounts as { id: string }[]) {
    state[`ledger of ${id}`] = (await here.control('GET', `/accounts/${id}/usage`)).body.data;
  }
  return state;
}

/** Results of `playAll`. */
export interface Played {
  /** The URLs of a picture that was not stored, and of an upload. */
  signed: string;
  stored: string;
  answers: unknown[];
}

/** Uses every feature once on an account. The results repeat only if the clock is frozen. */
export async function playAll(account: TestAccount, receiver: Receiver): Promise<Played> {
  const { world: here, id, workspaceId } = account;
  const answers: unknown[] = [];
  const control = async (path: string, body: object, method = 'POST') => {
    const answer = await here.control(method, path, body);
    expect([path, answer.status]).toEqual([path, expect.toSatisfy((status) => status < 300)]);
    answers.push(answer.body);
    return answer.body;
  };
  const service = async (path: string, body: unknown) => {
    const answer = await account.post(path, body);
    answers.push([answer.status, answer.bytes.toString('latin1')]);
    return answer;
  };
  const sent = receiver.requests.length;
  const events = ['image.generation.succeeded', 'image.generation.failed', 'flow.run.succeeded'];
  await service('/webhooks', { url: `${receiver.origin}/hook`, events });
  await control('/elements', { account_id: id, handle: 'mira', kind: 'character', name: 'Mira' });
  await control('/progression', { account_id: id, mode: 'polls', value: 2 }, 'PUT');
  const match = { account_id: id, path: '/v1/chat' };
  await control('/faults', { match, times: 1, effect: { status: 503 } });
  await control('/faults', { match, times: 1, effect: { stream: { cut_after: 3 } } });
  await control('/fixtures', {
    fixtures: [
      {
        match: { operation: 'createChatCompletion', account_id: id, message: 'Who goes?' },
        answer: { text: 'A scripted one.' },
      },
    ],
  });
  expect((await service('/chat/completions', CHAT)).status).toBe(503);
  await expect(service('/chat/completions', { ...CHAT, stream: true })).rejects.toThrow();
  expect((await service('/chat/completions', CHAT)).status).toBe(200);
  const asked = { ...CHAT, messages: [{ role: 'user', content: 'Who goes?' }] };
  const scripted = await service('/chat/completions', asked);
  expect(scripted.body.choices[0].message.content).toBe('A scripted one.');
  const whole = await service('/chat/completions', { ...CHAT, stream: true });
  expect(whole.bytes.toString()).toContain('[DONE]');
  const picture = { prompt: 'a pier', response_format: 'url' };
  const made = await service('/images/generations', picture);
  await service('/images/generations', { prompt: '[[fail]]' });
  const kept = (await account.post('/storage/objects', fileForm())).body;
  const steps = [{ nodeId: 'a', type: 'text', params: { prompt: 'A word.' } }];
  const flow = await control('/flows', { workspace_id: workspaceId, name: 'F', steps });
  const run = await control(`/flows/${flow.id}/runs`, { inputs: {} });
  await here.advance(0);
  expect((await here.control('GET', `/wait?for=run:${run.id}`)).status).toBe(200);
  await service('/music/generations', { style: '[[slow:30]] piano', seconds: 30, n: 1 });
  await here.advance(60);
  await receiver.received(sent + 3);
  await account.delivered();
  return { signed: made.body.data[0].url, stored: kept.url, answers };
}
