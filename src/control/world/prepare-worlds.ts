import { hash } from 'node:crypto';
import path from 'node:path';
import type { Config } from '../../base/config/config.ts';
import { readSetting, writeSetting } from '../../base/database/id-store.ts';
import { invalidRequestError } from '../../base/errors.ts';
import { packageDataFolder } from '../../base/package/package-folder.ts';
import { type Account, findOldestOwnerOverall } from '../../engine/accounts/account-store.ts';
import { addFlow } from '../../engine/flows/flow-store.ts';
import { addElement } from '../../engine/library/element-store.ts';
import { addObject } from '../../engine/storage/object-store.ts';
import { storeBytes } from '../../engine/storage/references.ts';
import { fixtureFileSchema } from '../../service/fixtures/fixture-schema.ts';
import type { Context } from '../../service/http/context.ts';
import { ControlConnection } from '../control-connection.ts';
import { ControlError } from '../control-errors.ts';
import { addFaultRule } from '../faults.ts';
import { addEndpointToWorkspace } from '../webhooks.ts';
import { type DeclaredWorld, readWorldFile, type WorldFileItem } from './world-file.ts';

/** How long a request of the world may continue before a stop or a change of state, in real milliseconds. */
const GRACE = 1000;
const MAX_WAIT_SECONDS = 300;

interface Address {
  url: string;
  controlToken: string | undefined;
}

/** A number means that the records exist and that the sending of this many requests has begun. */
type Stage = 'due' | 'making' | number | 'made';

/**
 * Applies a world file to each new seeded state. Its requests follow in the background. The state stores how many were
 * begun, so a restart continues, and none is sent twice. A failed request is logged unless a stop interrupted it, and the
 * next ones follow.
 */
class OwnWorld {
  readonly #world: DeclaredWorld;
  readonly #context: Context;
  #address: Address | undefined;
  #sending: Promise<void> = Promise.resolve();
  #paused = false;
  #cut = new AbortController();

  constructor(world: DeclaredWorld, context: Context) {
    this.#world = world;
    this.#context = context;
  }

  /**
   * Creates the data if it is due, starts again if its creation was interrupted, or continues its requests. Returns what
   * the user should know if the data folder already contains data.
   */
  async open(address: Address): Promise<string | undefined> {
    this.#address = address;
    const { barrier, reset } = this.#context.control;
    const stage = this.#stage();
    if (stage === 'making') await reset();
    else if (stage === 'due') await barrier.closedFor(() => this.start());
    else await this.start();
    return this.#noteAt(stage);
  }

  #noteAt(stage: Stage | undefined): string | undefined {
    const [{ dataDir }, { option }] = [this.#context.config, this.#world];
    if (stage === 'made') return `The data folder ${dataDir} already contains the data of --${option}.`;
    if (stage !== undefined) return undefined;
    return (
      `The data folder ${dataDir} contains other data, so the data of --${option} was not added. ` +
      'To replace that data, run svc-emulator call resetEmulator. To keep it, start with another --data-dir.'
    );
  }

  async start(): Promise<void> {
    if (!this.#address) return;
    if (this.#stage() === 'due') {
      await this.#mark('making');
      await makeWorld(this.#world, this.#context);
      await this.#count(0);
    }
    this.#paused = false;
    this.#cut = new AbortController();
    const { log } = this.#context;
    this.#sending = this.#sendAll(this.#address).catch((error: unknown) =>
      log.error({ error }, `the ${this.#world.option} could not continue`),
    );
  }

  async beforeStop(): Promise<void> {
    this.#paused = true;
    const cancel = this.#context.clock.after(GRACE, () => this.#cut.abort());
    await this.#sending;
    cancel();
  }

  async #sendAll({ url, controlToken }: Address): Promise<void> {
    const { option, requests } = this.#world;
    const sent = this.#stage();
    if (typeof sent !== 'number' || sent >= requests.length) return;
    const { signal } = this.#cut;
    const control = new ControlConnection(url, { controlToken, signal });
    for (const [at, order] of requests.entries()) {
      if (at < sent) continue;
      if (this.#paused) return;
      await this.#count(at + 1);
      const key = this.#world.keyOf(order.account);
      const service = new ControlConnection(url, { controlToken: key, signal });
      const accountId = this.#context.accounts.keys.callerOf(key)?.accountId ?? '';
      await send(order, { accountId, control, service }).catch((error: unknown) => {
        if (!signal.aborted) logMissing(this.#context, this.#world, `requests.${at}`, error);
      });
    }
    // Waits for the work and the deliveries of the last request, which belong to the world too.
    const rest = control.call('waitFor', { for: 'idle', timeout: MAX_WAIT_SECONDS });
    const isAtRest = await rest.then(Boolean, () => false);
    if (isAtRest) this.#context.log.info({}, `the ${option} is complete`);
  }

  #count(sent: number): Promise<void> {
    return this.#mark(sent < this.#world.requests.length ? sent : 'made');
  }

  #stage(): Stage | undefined {
    return readSetting<Stage>(this.#context.database, this.#world.option);
  }

  #mark(stage: Stage): Promise<void> {
    return this.#context.database.transact((tx) => writeSetting(tx, this.#world.option, stage));
  }
}

/**
 * Reads the world files. `fill` creates no records, because their URLs need the emulator's address: `open` creates them
 * at the start, and the returned components create them again at a reset.
 */
export async function prepareWorlds({ world, demo }: Pick<Config, 'world' | 'demo'>) {
  const declared: DeclaredWorld[] = [];
  if (world !== undefined) declared.push(await readWorldFile(world, 'world'));
  if (demo) declared.push(await readWorldFile(path.join(packageDataFolder(), 'demo.json'), 'demo'));
  let worlds: OwnWorld[] = [];
  return {
    fill: (context: Context) => {
      worlds = declared.map((each) => new OwnWorld(each, context));
      return worlds;
    },
    open: async (address: Address) => {
      const notes: string[] = [];
      for (const each of worlds) {
        const note = await each.open(address);
        if (note !== undefined) notes.push(note);
      }
      return notes;
    },
  };
}

interface Sending {
  accountId: string;
  control: ControlConnection;
  service: ControlConnection;
}

/** Sends a request over HTTP, so that its records are those of a real request. */
async function send(order: WorldFileItem<'requests'>, sending: Sending): Promise<void> {
  const { control, service } = sending;
  const { method = 'POST', outcome } = order;
  const { path, body } = JSON.parse(await filled(JSON.stringify(order), sending));
  const { transport } = path.startsWith('/_emulator/') ? control : service;
  const answer = await transport(method, path, { body });
  if (!outcome) return;
  const { data = [answer] } = answer as { data?: unknown[] };
  for (const job of data as { id: string }[]) {
    await control.call('finishJob', { id: job.id, outcome }).catch((error: unknown) => {
      // `conflict` means that the job has ended already.
      if (!(error instanceof ControlError && error.code === 'conflict')) throw error;
    });
  }
}

const PLACES = /\{\{(account|image|flow\..+?)\}\}/g;

async function filled(text: string, { accountId, control }: Sending): Promise<string> {
  if (text.search(PLACES) === -1) return text;
  const { data: flows } = await control.call('listFlows');
  const { data: images } = await control.call('listLibrary', { account_id: accountId, kind: 'image', limit: 1 });
  const known = new Map(flows.map(({ name, id }) => [`flow.${name}`, id]));
  known.set('account', accountId).set('image', images[0]?.url ?? '');
  return text.replace(PLACES, (_, what: string) => {
    const found = known.get(what);
    if (!found) throw new Error(`there is no value for {{${what}}}`);
    return found;
  });
}

function logMissing({ log }: Context, { option }: DeclaredWorld, at: string, error: unknown): void {
  log.error({}, `the ${option} is created without ${at}: ${error instanceof Error ? error.message : String(error)}`);
}

const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.mp4': 'video/mp4',
  '.json': 'application/json',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
};

const LARGEST_OBJECT = 100 * 1_048_576;

interface WorldMaking {
  world: DeclaredWorld;
  context: Context;
  owners: Map<string, Pick<Account, 'id' | 'workspaceId'>>;
  flows: Map<string, string>;
}

async function makeWorld(world: DeclaredWorld, context: Context): Promise<void> {
  const making: WorldMaking = { world, context, owners: new Map(), flows: new Map() };
  const attempt = (at: string, made: Promise<unknown>) =>
    made.catch((error: unknown) => {
      if (world.option === 'world') throw world.fault(at, error);
      logMissing(context, world, at, error);
    });
  for (const [section, make] of Object.entries(MAKERS)) {
    const orders = world.orders[section as keyof typeof MAKERS] ?? [];
    for (const [at, order] of orders.entries()) await attempt(`${section}.${at}`, make(making, order as never));
  }
  const { fixtures } = world.orders;
  // Creates all scripted answers together, because answers that are created later are tried first.
  if (fixtures) await attempt('fixtures', makeFixtures(making, fixtures));
}

type SingleSection = 'accounts' | 'elements' | 'objects' | 'flows' | 'endpoints' | 'rules';

/** In the order in which the sections are created, because later ones name accounts and flows. */
const MAKERS: {
  [Section in SingleSection]: (making: WorldMaking, order: WorldFileItem<Section>) => Promise<unknown>;
} = {
  async accounts(making, { name, workspace, keys = [], ...order }) {
    const { accounts, database } = making.context;
    const [key, ...more] = keys;
    const workspaceId = workspace === undefined ? undefined : ownerOf(making, workspace).workspaceId;
    const { account } = await accounts.open({ name, ...order, workspaceId, key });
    await database.transact((tx) => {
      for (const each of more) accounts.keys.addWithin(tx, account.id, each);
    });
    making.owners.set(name, account);
  },
  async elements(making, { account, image, voice, ...order }) {
    const { context, world } = making;
    const files = { image: await dataUrl(world, image, 'image'), voice: await dataUrl(world, voice, 'voice') };
    await addElement(context, ownerOf(making, account).id, { ...order, ...files });
  },
  async objects(making, { account, file, name = path.basename(file), content_type: contentType = typeOf(file) }) {
    const { database, random, storage } = making.context;
    const { files } = storage;
    const content = await making.world.bytes(file, 'file');
    const bytes = content.length;
    if (bytes === 0 || bytes > LARGEST_OBJECT) throw invalidRequestError('file', 'file must have 1 byte to 100 MiB.');
    const sha256 = hash('sha256', content, 'hex');
    const accountId = ownerOf(making, account).id;
    await files.withPins(async (pins) => {
      await storeBytes(pins, { bytes: content, sha256 });
      await database.transact((tx) => {
        files.register(tx, { name: sha256, bytes, contentType }, 'upload');
        addObject(tx, random, { accountId, name, file: sha256, bytes, contentType });
      });
    });
  },
  async flows(making, { account, name, steps }) {
    const { context, flows } = making;
    const [unknown] = context.control.flows.check(steps);
    if (unknown !== undefined)
      throw invalidRequestError(unknown, `${unknown} is not a field of this step; leave it out.`);
    const { id: accountId, workspaceId } = ownerOf(making, account);
    flows.set(name, (await addFlow(context, { workspaceId, accountId, name, steps })).id);
  },
  async endpoints(making, { account, flow, ...order }) {
    const flowId = flow === undefined ? undefined : making.flows.get(flow);
    await addEndpointToWorkspace(making.context, ownerOf(making, account).workspaceId, { ...order, flowId });
  },
  async rules(making, { account, match, ...order }) {
    const scoped = account === undefined ? match : { ...match, account_id: ownerOf(making, account).id };
    await addFaultRule(making.context, { ...order, match: scoped });
  },
};

async function makeFixtures(making: WorldMaking, orders: readonly WorldFileItem<'fixtures'>[]): Promise<void> {
  const { element: fixture } = fixtureFileSchema.shape.fixtures;
  const own = orders.map(({ account, match, ...order }) => {
    return fixture.parse({ ...order, match: { ...match, account_id: ownerOf(making, account).id } });
  });
  await making.context.failures.fixtures.add(own, () => undefined);
}

function ownerOf({ context, owners }: WorldMaking, name: string | undefined) {
  const owner = name === undefined ? findOldestOwnerOverall(context.database) : owners.get(name);
  if (!owner) throw new Error('a world was checked before it was made');
  return owner;
}

async function dataUrl(world: DeclaredWorld, given: string | undefined, param: string): Promise<string | undefined> {
  if (given === undefined || /^(?:data:|https?:)/.test(given)) return given;
  const bytes = await world.bytes(given, param);
  return `data:${typeOf(given)};base64,${bytes.toString('base64')}`;
}

function typeOf(file: string): string {
  return TYPES[path.extname(file).toLowerCase()] ?? 'application/octet-stream';
}
