import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { flood, wireRequest } from './flood.ts';

/** What an instance holds that a team has used for long; a share of it is the same, smaller. */
const WHOLE = { accounts: 1000, chats: 900_000, pictures: 100_000, objects: 50_000 };
/** One in so many requests is that of a single account: everybody's CI has one key. */
const OF_ONE = 10;
const BOUNDARY = 'team';
const FILE = [
  `--${BOUNDARY}`,
  'content-disposition: form-data; name="file"; filename="note.txt"',
  '',
  'a note',
  `--${BOUNDARY}--`,
  '',
].join('\r\n');

/** An account of the instance, and what it is called with. */
export interface Member {
  id: string;
  key: string;
}

/** Fills an instance by its own operations. Answers its accounts; the first has a tenth of everything. */
export async function fillTeamInstance(url: string, share: number): Promise<Member[]> {
  const receiver = createServer((request, response) => request.resume().on('end', () => response.end()));
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const { port } = receiver.address() as AddressInfo;
  try {
    const members = await team(url, Math.ceil(WHOLE.accounts * share), `http://127.0.0.1:${port}/`);
    const whose = (n: number) => members[n % OF_ONE === 0 ? 0 : n % members.length] as Member;
    const chats = members.map(({ key }) => wireRequest('/v1/chat/completions', { key, ...json(chat('a lantern')) }));
    const chatOf = new Map(members.map(({ key }, n) => [key, chats[n] ?? '']));
    await flood(url, WHOLE.chats * share, (n) => chatOf.get(whose(n).key) ?? '');
    const picture = json({ prompt: 'a pier', response_format: 'url' });
    await flood(url, WHOLE.pictures * share, (n) => wireRequest('/v1/images/generations', { ...whose(n), ...picture }));
    const file = { type: `multipart/form-data; boundary=${BOUNDARY}`, body: FILE };
    await flood(url, WHOLE.objects * share, (n) => wireRequest('/v1/storage/objects', { ...whose(n), ...file }));
    await ask(`${url}/_emulator/wait?for=idle&timeout=600`);
    // The index of words is made while nothing else happens, or at once for whoever searches.
    await ask(`${url}/_emulator/search?q=lantern&limit=1`);
    return members;
  } finally {
    receiver.close();
  }
}

export function chat(content: string): object {
  return { model: 'svc-rp-mini', messages: [{ role: 'user', content }] };
}

/** Every second account has an endpoint. */
async function team(url: string, accounts: number, receiver: string): Promise<Member[]> {
  const members: Member[] = [];
  for (let n = 0; n < accounts; n += 1) {
    const account = { name: `member ${n}`, plan: 'studio', credits: 100_000_000 };
    const { id, workspace_id, api_key: key } = await post(`${url}/_emulator/accounts`, account);
    const endpoint = { url: receiver, events: ['image.generation.succeeded'], workspace_id };
    if (n % 2 === 1) await post(`${url}/_emulator/endpoints`, endpoint);
    members.push({ id, key });
  }
  return members;
}

function json(value: object) {
  return { type: 'application/json', body: JSON.stringify(value) };
}

async function post(url: string, body: object): Promise<{ id: string; workspace_id: string; api_key: string }> {
  const headers = { 'content-type': 'application/json' };
  return JSON.parse(await ask(url, { method: 'POST', headers, body: JSON.stringify(body) }));
}

export async function ask(url: string, init?: RequestInit): Promise<string> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return text;
}
