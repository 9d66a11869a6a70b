import { waveFile } from '../../media/audio/audio-samples.ts';
import { fileForm } from '../../support/wire.ts';
import type { Answer, TestAccount, World } from '../../support/world.ts';
import { DocumentAnswers, type DocumentedOperation } from './document-answers.ts';
import { type Choice, plainObject } from './plain-values.ts';

/** The records that a request may name, each fresh. */
type Supply = Record<string, string>;
/** Fields whose values a schema cannot say; undefined leaves one out. */
export type Words = Record<string, unknown>;

const FORMS: readonly (readonly [choice: Choice, isWhole: boolean])[] = [
  ['first', false],
  ['first', true],
  ['last', true],
];

/** Sends requests that an OpenAPI document suggests; what is refused is a fault of the document. */
export class PositiveRequests {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  async operations(path: string): Promise<DocumentedOperation[]> {
    const { body } = await this.#world.call('GET', path);
    return new DocumentAnswers(body).operations;
  }

  /** What is refused of the requests of an operation: at most three, of which equal ones are one. */
  async refused(operation: DocumentedOperation, words: Words = {}): Promise<string[]> {
    const seen = new Set<string>();
    const refused: string[] = [];
    for (const [choice, isWhole] of FORMS) {
      const { schema = {}, type } = bodyOf(operation);
      const shape =
        JSON.stringify(plainObject(schema, { choice, isWhole, known: {} })) +
        query(operation, { choice, isWhole, known: {} });
      if (seen.has(shape)) continue;
      seen.add(shape);
      const account = await this.#world.account({ plan: 'studio', credits: 100_000 });
      const supply = await this.#supply(operation, account);
      const known = { ...fieldsOf(account, supply), ...words };
      const fields = withoutAbsent({ ...plainObject(schema, { choice, isWhole, known }), ...ownWords(words, schema) });
      const url = pathOf(operation, supply) + query(operation, { choice, isWhole, known });
      const answer = await this.#send(operation, { url, type, fields, account });
      await this.#undo(operation);
      if (answer.status >= 400)
        refused.push(`${operation.operationId} ${url} ${JSON.stringify(fields)}: ${answer.bytes}`);
    }
    return refused;
  }

  #send(
    { method }: DocumentedOperation,
    { url, type, fields, account }: { url: string; type: string | undefined; fields: Words; account: TestAccount },
  ): Promise<Answer> {
    if (type === undefined) return this.#world.call(method, url, undefined, account.headers);
    if (type === 'application/json') return this.#world.call(method, url, fields, account.headers);
    const form = fileForm(waveFile(1600, { sampleRate: 8000 }), 'sound.wav');
    for (const [name, value] of Object.entries(fields)) if (name !== 'file') form.set(name, String(value));
    return this.#world.call(method, url, form, account.headers);
  }

  /** Rules without a match act on all later requests. */
  async #undo({ operationId }: DocumentedOperation): Promise<void> {
    const undone = UNDONE[operationId];
    if (undone) await this.#world.control(...undone);
  }

  /** What the path of an operation names. */
  async #supply({ path }: DocumentedOperation, account: TestAccount): Promise<Supply> {
    const [, resource = '', name] = /([\w-]+)\/\{(\w+)\}/.exec(path) ?? [];
    const make = SUPPLIES[name === 'token' ? 'hooked' : path.startsWith('/v1/videos') ? 'clips' : resource];
    return { id: make ? await make(account, this.#world) : 'none' };
  }
}

function ownWords(words: Words, schema: object): Words {
  const { properties = {} } = schema as { properties?: object };
  return Object.fromEntries(Object.entries(words).filter(([name]) => Object.hasOwn(properties, name)));
}

function withoutAbsent(fields: Words): Words {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function bodyOf({ requestBody }: DocumentedOperation) {
  const [[type, content] = []] = Object.entries(requestBody?.content ?? {});
  return { type, schema: content?.schema };
}

function pathOf({ path }: DocumentedOperation, { id = '' }: Supply): string {
  return path.replace(/\{\w+\}/, encodeURIComponent(id));
}

function query({ parameters }: DocumentedOperation, wanted: Parameters<typeof plainObject>[1]): string {
  const own = parameters.filter((each) => each.in === 'query');
  const properties = Object.fromEntries(own.map(({ name, schema }) => [name, schema]));
  const required = own.filter((each) => each.required).map(({ name }) => name);
  const given = Object.entries(withoutAbsent(plainObject({ properties, required }, wanted)));
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

/** Fields that name a record name one of the account. */
function fieldsOf(account: TestAccount, { id }: Supply): Words {
  return {
    ...{ account_id: account.id, workspace_id: account.workspaceId, after: undefined, id },
    ...{ url: `${account.world.url}/_emulator/inbox/plain`, test_id: undefined, flow_id: undefined },
  };
}

const UNDONE: Record<string, [method: string, path: string, body?: object]> = {
  createFault: ['DELETE', '/faults'],
  createHold: ['DELETE', '/holds'],
  setProgression: ['PUT', '/progression', { mode: 'render' }],
  setClock: ['PUT', '/clock', { frozen: false }],
};

const PICTURE = 'a picture of a pier';

type Make = (account: TestAccount, world: World) => Promise<string>;

/** Its post waits for a click. */
const flowOf = ({ id, workspaceId }: TestAccount) => ({
  ...{ name: 'posts', workspace_id: workspaceId, account_id: id },
  steps: [{ nodeId: 'a', type: 'post', params: { text: 'Ahoy.' } }],
});

const made =
  (path: string, order: (account: TestAccount) => unknown): Make =>
  async (account, world) =>
    (await world.control('POST', path, order(account))).body.id;

const song: Make = async (account, world) => {
  await world.control('PUT', '/progression', { mode: 'manual', account_id: account.id });
  return (await account.post('/music/generations', { prompt: PICTURE, seconds: 30, n: 1 })).body.data[0].id;
};

const clip: Make = async (account, world) => {
  await world.control('PUT', '/progression', { mode: 'manual', account_id: account.id });
  return (await account.post('/videos/generations', { prompt: PICTURE, seconds: 5 })).body.id;
};

const request: Make = async (account) => (await account.get('/account')).headers.get('x-request-id') ?? '';

const webhook: Make = async (account) => {
  const url = `${account.world.url}/_emulator/inbox/plain`;
  return (await account.post('/webhooks', { url, events: ['image.generation.succeeded'] })).body.id;
};

const delivered: Make = async (account, world) => {
  await webhook(account, world);
  await account.post('/images/generations', { prompt: PICTURE });
  await world.wait('delivery:image.generation.succeeded', { account_id: account.id });
  return (await world.control('GET', `/deliveries?account_id=${account.id}`)).body.data[0].id;
};

/** What makes a record that a path can name, by the resource in the path. */
const SUPPLIES: Record<string, Make> = {
  accounts: async ({ id }) => id,
  workspaces: async ({ workspaceId }) => workspaceId,
  tests: async (_, world) => {
    await world.control('POST', '/accounts', { test: 'a test' });
    return (await world.control('GET', '/tests')).body.data[0].id;
  },
  keys: async ({ id }, world) => (await world.control('POST', `/accounts/${id}/keys`)).body.id,
  ledger: async ({ id }, world) => (await world.control('GET', `/accounts/${id}/usage`)).body.data[0].id,
  generations: song,
  clips: clip,
  jobs: song,
  timeline: song,
  objects: async (account) =>
    (await account.world.call('POST', '/v1/storage/objects', fileForm('Hi.', 'notes.txt'), account.headers)).body.id,
  library: async (account, world) => {
    await account.post('/images/generations', { prompt: PICTURE, store: true });
    return (await world.control('GET', `/library?account_id=${account.id}`)).body.data[0].id;
  },
  elements: made('/elements', ({ id }) => ({ account_id: id, handle: 'mira', kind: 'character', name: 'Mira' })),
  endpoints: webhook,
  webhooks: webhook,
  events: async (account, world) => {
    await delivered(account, world);
    return (await world.control('GET', `/events?account_id=${account.id}`)).body.data[0].id;
  },
  deliveries: delivered,
  inbox: async () => 'plain',
  requests: request,
  explain: request,
  faults: made('/faults', ({ id }) => ({ match: { account_id: id, path: '/v1/none' }, effect: { status: 500 } })),
  holds: made('/holds', ({ id }) => ({ match: { account_id: id }, at: 'request' })),
  snapshots: async (account, world) => {
    const name = `of-${account.id.slice(-6)}`;
    await world.control('POST', '/snapshots', { name });
    return name;
  },
  flows: made('/flows', flowOf),
  hooked: async (account, world) =>
    (await world.control('POST', '/flows', flowOf(account))).body.hook_url.split('/').at(-1),
  runs: async (account, world) => {
    const { body: flow } = await world.control('POST', '/flows', flowOf(account));
    const { body: run } = await world.control('POST', `/flows/${flow.id}/runs`, { inputs: {} });
    await world.wait('event:flow.run.waiting', { account_id: account.id });
    return run.id;
  },
};
