import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

export { wait };

/** One request. Throws an error whose cause is that of the connection. */
export async function once(world, method, path, { body, timeoutMs = 4_000 } = {}) {
  const headers = { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' };
  const url = path.startsWith('http') ? path : world.baseUrl + path;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { method, headers, body: body && JSON.stringify(body), signal });
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  } catch (cause) {
    throw new Error(`no response to ${method} ${path}`, { cause });
  }
}

export const json = ({ bytes }) => JSON.parse(bytes.toString());

/** A request that is sent again while the service is busy; a read also after a lost response. Returns the response. */
export async function call(world, method, path, options = {}) {
  for (let attempt = 1; ; attempt++) {
    const answer = await once(world, method, path, options).catch((error) => {
      if (method !== 'GET' || attempt === 5) throw error;
    });
    const isBusy = !answer || answer.status === 429 || answer.status >= 500;
    if (!isBusy || attempt === 5) return answer;
    await wait(Number(answer?.headers.get('retry-after') ?? 0.3) * 1_000);
  }
}

export async function order(world, path, body) {
  const answer = await call(world, 'POST', path, { body });
  if (answer.status >= 300) throw new Error(`${answer.status}: ${json(answer).error.code}`);
  return json(answer);
}

/** The final state of a job, however long that takes. */
export async function finalJob(world, id) {
  for (;;) {
    const job = json(await call(world, 'GET', `/music/generations/${id}`));
    if (job.status === 'succeeded' || job.status === 'failed') return job;
    await wait(100);
  }
}

/** The whole file of an image or a song, which is read again until it is right. */
export async function wholeFile(world, url, isWhole) {
  for (let attempt = 1; ; attempt++) {
    const file = await call(world, 'GET', url);
    if ((file.status === 200 && isWhole(file.bytes)) || file.status === 403 || attempt === 5) return file;
  }
}

export const SONG = { seconds: 30, n: 1, instrumental: true };

/** The id of the song with this seed, ordered once. After a lost response it is found in the latest events. */
export async function orderSong(world, prompt, seed, more = {}) {
  try {
    const { data } = await order(world, '/music/generations', { ...SONG, prompt, seed, ...more });
    return data[0].id;
  } catch (error) {
    if (!error.cause) throw error;
    return findSong(world, seed);
  }
}

/** The id of the song with this seed, in the latest events. */
export async function findSong(world, seed) {
  for (let look = 0; look < 100; look++, await wait(200)) {
    const { events } = json(await call(world, 'GET', '/webhooks/samples?event=music.generation.succeeded'));
    const found = events.find(({ data }) => data.seed === seed);
    if (found) return found.data.id;
  }
  throw new Error('The song was not found.');
}

export function proofsOf(header) {
  const parts = header.split(',').map((part) => part.trim().split('='));
  const valuesOf = (name) => parts.filter(([key]) => key === name).map(([, value]) => value ?? '');
  return { t: Number(valuesOf('t')[0]), proofs: valuesOf('v1') };
}

export function fits(secret, t, body, proofs) {
  const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest();
  return proofs.some((proof) => {
    const sent = Buffer.from(proof, 'hex');
    return sent.length === expected.length && timingSafeEqual(sent, expected);
  });
}

/** A receiver on this machine: `take` returns a status for the raw body and the signature header. */
export async function receiver(world, events, take) {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(await take(Buffer.concat(chunks), request.headers['svc-signature'] ?? '')).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}/events`;
  const { secret } = await world.emulator.control.addEndpoint({ url, events, workspaceId: world.workspaceId });
  return { secret, close: () => server.close() };
}
