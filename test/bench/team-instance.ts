import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { each } from './bench-row.ts';
import { idle, post } from './bench-server.ts';
import { flood } from './bench-tools.ts';

/** Contents of an instance that a team has used for long. `share` scales all counts. */
const WHOLE = { accounts: 1000, chats: 900_000, pictures: 100_000, objects: 50_000 };
/** Every tenth request uses the same account, because a team's CI shares one key. */
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

export interface Member {
  id: string;
  key: string;
}

/** Fills an instance through its API and returns its accounts. The first account sends a tenth of the requests. */
export async function fillTeamInstance(url: string, share: number): Promise<Member[]> {
  const receiver = createServer((request, response) => request.resume().on('end', () => response.end()));
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const { port } = receiver.address() as AddressInfo;
  try {
    const members = await team(url, Math.ceil(WHOLE.accounts * share), `http://127.0.0.1:${port}/`);
    const requests = members.map(({ key }, n) => ({
      headers: { authorization: `Bearer ${n % OF_ONE === 0 ? members[0]?.key : key}` },
    }));
    const fill = (count: number, path: string, body: string, type = 'application/json') =>
      flood({
        ...{ url: `${url}/v1${path}`, headers: { 'content-type': type }, body, requests },
        ...{ connections: 64, amount: count * share },
      });
    await fill(WHOLE.chats, '/chat/completions', CHAT);
    await fill(WHOLE.pictures, '/images/generations', '{"prompt":"a pier","response_format":"url"}');
    await fill(WHOLE.objects, '/storage/objects', FILE, `multipart/form-data; boundary=${BOUNDARY}`);
    await idle({ url });
    return members;
  } finally {
    receiver.close();
  }
}

const CHAT = JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'a lantern' }] });

/** Every second account gets a webhook endpoint. */
function team(url: string, accounts: number, receiver: string): Promise<Member[]> {
  return each(accounts, async (n) => {
    const account = { name: `member ${n}`, plan: 'studio', credits: 100_000_000 };
    const made = await post<{ id: string; workspace_id: string; api_key: string }>(
      `${url}/_emulator/accounts`,
      account,
    );
    const endpoint = { url: receiver, events: ['image.generation.succeeded'], workspace_id: made.workspace_id };
    if (n % 2 === 1) await post(`${url}/_emulator/endpoints`, endpoint);
    return { id: made.id, key: made.api_key };
  });
}
