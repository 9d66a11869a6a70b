import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { CONTROL_OPERATIONS } from '../../../src/control/control-routes.ts';
import { DOCUMENT_OPERATIONS } from '../../../src/control/documents.ts';
import { Keys } from '../../../src/engine/accounts/key-store.ts';
import { FLOW_HOOK_OPERATIONS, SERVICE_OPERATIONS } from '../../../src/service/api/routes.ts';
import type { Operation } from '../../../src/service/http/operation.ts';
import { CHAT, expectError } from '../../support/wire.ts';
import { SHARED_RENDERS, world } from '../../support/world.ts';

const emulator = await world();

it('has every operation of the service below /v1, and none of them below /v2 or without a prefix [R001 R247]', async () => {
  expect(SERVICE_OPERATIONS.every(({ path }) => path.startsWith('/v1/'))).toBe(true);
  const paths = SERVICE_OPERATIONS.map(({ method, path }) => `${method} ${path}`);
  expect(paths.length).toBeGreaterThanOrEqual(17);
  expect(new Set(paths).size).toBe(paths.length);
  for (const { method, path } of SERVICE_OPERATIONS) {
    const bare = path.replace('/v1', '').replace(':id', 'x');
    expectError(await emulator.call(method, bare), 404, 'not_found');
    expectError(await emulator.call(method, `/v2${bare}`), 404, 'not_found');
  }
});

it('has no control operation sql, query, database or db [I268]', async () => {
  for (const path of ['sql', 'query', 'database', 'db']) {
    expectError(await emulator.control('POST', `/${path}`, { sql: 'SELECT 1' }), 404, 'not_found');
  }
});

const DOUBLE = (meant: string) => `double slash: use ${meant}, and a base URL that does not end in a slash`;

it.each([
  ['/v1/chat/completion', 'Did you mean /v1/chat/completions?'],
  ['/v1/responses', 'Did you mean /v1/chat/completions?'],
  ['/v1/completions', 'Did you mean /v1/chat/completions?'],
  ['/v1/image/generations', 'Did you mean /v1/images/generations?'],
  ['/v1/videos', 'Did you mean /v1/videos/generations?'],
  ['/v1/files', 'Did you mean /v1/storage/objects?'],
  ['/v1/Models', 'Did you mean /v1/models?'],
  ['/v1/models/svc-rp-plus', 'Did you mean /v1/models?'],
  ['/v1/music', 'Did you mean /v1/music/generations?'],
  ['/v1/audio/speeches', 'Did you mean /v1/audio/speech?'],
  ['/_emulator/ledger', 'Did you mean /_emulator/accounts/{id}/usage?'],
  ['/_emulator/webhooks', 'Did you mean /_emulator/endpoints?'],
  ['/_emulator/account', 'Did you mean /_emulator/accounts?'],
  ['/v1/chat/completions/x', 'Did you mean /v1/chat/completions?'],
  ['/_emulator/journal', 'Did you mean /_emulator/requests?'],
  ['/_emulator/faults/x/y', 'Did you mean /_emulator/faults?'],
  ['/v1/foo', 'There is no /v1/foo. GET /openapi.json lists the paths.'],
  ['/v1/embeddings', 'There is no /v1/embeddings. GET /openapi.json lists the paths.'],
  ['/_emulator/getAccount', 'There is no /_emulator/getAccount. GET /_emulator/openapi.json lists the paths.'],
  ['/chat/completions', /lacks its prefix.*\/v1\/chat\/completions/],
  ['/music/generations/job_1', /lacks its prefix.*\/v1\/music\/generations\/\{id\}/],
  ['//v1/account', DOUBLE('/v1/account')],
  ['/v1//chat/completions', DOUBLE('/v1/chat/completions')],
  ['///_emulator//clock', DOUBLE('/_emulator/clock')],
])('returns a 404 for the unknown path %s that says: %s [I145]', async (path, says) => {
  const { message } = expectError(await emulator.call('POST', path, CHAT), 404, 'not_found');
  expect(message).toMatch(says);
});

const ALL: readonly Operation[] = [
  ...SERVICE_OPERATIONS,
  ...CONTROL_OPERATIONS,
  ...DOCUMENT_OPERATIONS,
  ...FLOW_HOOK_OPERATIONS,
];

it.each([...new Set(ALL.map(({ path }) => path))])(
  'rejects an unsupported method of %s, and names the supported ones [I013]',
  async (path) => {
    const known = ALL.filter((each) => each.path === path);
    const answer = await emulator.call('PROPFIND', path.replace(':id', 'x'));
    expectError(answer, 405, 'method_not_allowed');
    const allowed = answer.headers.get('allow')?.split(', ');
    expect(allowed).toEqual(expect.arrayContaining(known.map(({ method }) => method)));
  },
);

it.each(SERVICE_OPERATIONS.filter(({ access }) => access !== 'public'))(
  'requires a bearer key for $method $path [R120 R205 I009]',
  async ({ method, path }) => {
    const target = path.replace(':id', 'x');
    const answer = await emulator.call(method, target, undefined, {});
    expectError(answer, 401, 'missing_api_key');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  },
);

it.each([
  ['Bearer svc_sk_00000000000000000000000000000000', 'invalid_api_key', 'This API key'],
  ['bearer   svc_sk_unknown', 'invalid_api_key', 'This API key'],
  ['Bearer not a key', 'invalid_api_key', 'This API key'],
  ['Bearer ~', 'invalid_api_key', 'This API key'],
  ['', 'missing_api_key', 'No API key was given.'],
  ['Bearer', 'missing_api_key', 'The Authorization header has no key after Bearer.'],
  ['Bearer ', 'missing_api_key', 'The Authorization header has no key after Bearer.'],
  ['Basic c3ZjOnNr', 'missing_api_key', 'The Authorization header has the scheme Basic;'],
  ['svc_sk_local_emulator', 'missing_api_key', 'has a key without the word Bearer and a space before it.'],
  ['c3ZjOnNr', 'missing_api_key', 'The Authorization header does not begin with the word Bearer.'],
])(
  'rejects the Authorization header %j with %s, and says what is wrong [R204 R206 I009]',
  async (authorization, code, says) => {
    const answer = await emulator.call('GET', '/v1/account', undefined, { authorization });
    const { message } = expectError(answer, 401, code);
    expect(message).toContain(says);
    expect(message).not.toContain('c3ZjOnNr');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  },
);

it('accepts the documented key, whatever the case of the scheme [R204 I021]', async () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    const authorization = `${scheme} svc_sk_local_emulator`;
    const { body } = await emulator.call('GET', '/v1/account', undefined, { authorization });
    expect(body.credits).toBe(100_000);
  }
});

it('rejects a path with broken percent-encoding with a 400 [I005]', async () => {
  const account = await emulator.account();
  expectError(await account.delete('/storage/objects/%ZZ'), 400, 'invalid_request');
});

it.each(['/v1/models', '/v1/nowhere', '/v1/account', '/_emulator/health', '/cdn/x', '/nowhere'])(
  'gives each of two responses of %s its own request id [I161]',
  async (path) => {
    const ids = [await emulator.call('GET', path), await emulator.call('GET', path)].map(({ headers }) =>
      headers.get('x-request-id'),
    );
    expect(ids[0]).toMatch(/^req_\w+$/);
    expect(new Set(ids).size).toBe(2);
  },
);

it('returns for HEAD /v1/models the Content-Length of GET, without a body', async () => {
  const answer = await fetch(`${emulator.url}/v1/models`, { method: 'HEAD' });
  expect(answer.status).toBe(200);
  const { bytes } = await emulator.call('GET', '/v1/models');
  expect(Number(answer.headers.get('content-length'))).toBe(bytes.length);
  expect(await answer.text()).toBe('');
});

it.each(['localhost', '127.0.0.1', 'app.localhost'])(
  'builds the URLs of a response and of its event with the Host %s of the caller [I144]',
  async (name) => {
    const account = await emulator.account();
    const here = emulator.url.replace('127.0.0.1', name);
    const order = { prompt: 'a pier', response_format: 'url' };
    const image = await orderAs(here, account.key, order);
    expect(new URL(image.data[0].url).origin).toBe(here);
    const [event] = (await emulator.control('GET', `/events?account_id=${account.id}`)).body.data;
    expect(new URL(event.envelope.data.result_url).origin).toBe(here);
    const bytes = await emulator.call('GET', image.data[0].url.replace(here, emulator.url));
    expect([bytes.status, bytes.headers.get('content-type')]).toEqual([200, 'image/png']);
  },
);

/** Orders an image at the emulator's address under another Host. */
async function orderAs(host: string, key: string, order: object) {
  const headers = { host: new URL(host).host, authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const sent = request(`${emulator.url}/v1/images/generations`, { method: 'POST', headers });
  sent.end(JSON.stringify(order));
  const [response] = await once(sent, 'response');
  return JSON.parse(await text(response));
}

it('returns internal_error for a bug of the emulator, without internal details [I017]', async () => {
  // This emulator may log a bug, so it does not use the log of the other tests.
  const { renders } = SHARED_RENDERS;
  const here = await world({}, { renders });
  const account = await here.account();
  const { authenticate } = Keys.prototype;
  onTestFinished(() => {
    Keys.prototype.authenticate = authenticate;
  });
  Keys.prototype.authenticate = () => {
    throw new TypeError(`no such thing in ${import.meta.filename}`);
  };
  const answer = await account.post('/chat/completions', CHAT);
  Keys.prototype.authenticate = authenticate;
  expect(answer.status).toBe(500);
  expect(answer.body).toEqual({
    error: {
      code: 'internal_error',
      message:
        'The emulator itself has failed: this is a bug of svc-emulator. Its log has details under the x-request-id of this response.',
      type: 'api_error',
      param: null,
    },
  });
  expect(answer.headers.get('x-request-id')).toMatch(/^req_\w+$/);
  expect(await account.ledger()).toEqual(['grant 50']);
  expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

it.each([
  ['POST', '/chat/completions', 404],
  ['POST', '/v1/chat/completion', 404],
  ['PATCH', '/v1/chat/completions', 405],
])(
  'records the account whose valid key sent %s %s, rejects the request and charges nothing',
  async (method, path, status) => {
    const account = await emulator.account();
    expect((await emulator.call(method, path, CHAT, bearer(account.key))).status).toBe(status);
    const { body } = await emulator.control('GET', `/requests?account_id=${account.id}`);
    expect(body.data).toEqual([expect.objectContaining({ path, status, account_id: account.id, operation: null })]);
    expect(body.data[0].key_id).toMatch(/^key_/);
    const { body: usage } = await emulator.control('GET', `/accounts/${account.id}/usage`);
    expect(usage.data.map(({ type }: { type: string }) => type)).toEqual(['grant']);
  },
);

it('records no account for an unknown key at an unknown path', async () => {
  await emulator.call('POST', '/v1/chat/completion?from=nobody', CHAT, bearer('svc_sk_nobody'));
  const { body } = await emulator.control('GET', '/requests?limit=1');
  expect(body.data[0]).toMatchObject({ account_id: null, key_id: null, status: 404 });
});
