import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { requirePlain } from '../../base/config/plain-file.ts';
import { SECRET_PREFIX } from '../../base/database/id-store.ts';
import { readSetting, writeSetting } from '../../base/database/setting-store.ts';
import { EmulatorError, invalid, quoted, systemCode } from '../../base/errors.ts';
import { findFirstOwner } from '../../engine/accounts/account-store.ts';
import { PLANS, ROLES } from '../../engine/accounts/roles.ts';
import { WELL_KNOWN_KEY, WORLD_SETTING } from '../../engine/accounts/seed.ts';
import { putBytes } from '../../engine/storage/references.ts';
import { EVENT_TYPES, eventTypes } from '../../engine/webhooks/event-schemas.ts';
import { type ParsedFile, parseFixtures, Unparsable, WorldBroken } from '../../service/fixtures/parsed-file.ts';
import type { Context } from '../../service/http/context.ts';
import { InputReader, optional, text, whole } from '../../service/http/input.ts';
import { MOST_CREDITS } from '../accounts.ts';
import { faultRequest, requireReach } from '../faults.ts';
import { flowDefinition } from '../flows.ts';
import { requireInboxName } from '../inbox.ts';

/** How many of a kind one file declares. */
const MOST = 1000;
const MOST_KEYS = 20;

const secret = (prefix: string) => z.string().regex(new RegExp(`^${prefix}[A-Za-z0-9_]{4,100}$`));
const account = optional(z.string()).describe('the name of an account of this file; the first account without it.');
const given = (what: string) => `${what}: a path from this file, a data URL or a URL.`;

const accountOrder = z.strictObject({
  name: text({ min: 1, max: 200 }).describe('a text of 1 to 200 characters; the rest of the file names it so.'),
  workspace: optional(z.string()).describe('the name of an account before it, whose workspace it joins.'),
  plan: optional(z.enum(PLANS)).describe('payg (the default), hobby, creator or studio.'),
  role: optional(z.enum(ROLES)).describe('owner, admin or member.'),
  credits: optional(whole(0, MOST_CREDITS)).describe('a whole number of credits, by default 50.'),
  keys: optional(z.array(secret(SECRET_PREFIX.key)).min(1).max(MOST_KEYS)).describe(
    'keys of your own, svc_sk_ and 4 to 100 letters, digits or underscores; one is made without them.',
  ),
});

const elementOrder = z.strictObject({
  account,
  handle: z.string().describe('1 to 32 letters, digits, dashes or underscores.'),
  kind: text({ min: 1, max: 64 }).describe('a word such as character or object.'),
  name: text({ min: 1, max: 200 }).describe('the name it shows, at most 200 characters.'),
  image: optional(z.string()).describe(given('its picture')),
  voice: optional(z.string()).describe(given('a WAV or MP3 in which it speaks')),
});

const objectOrder = z.strictObject({
  account,
  file: z.string().min(1).describe('the path of a file, from this one.'),
  name: optional(text({ min: 1 })).describe("the name in its URL; the file's own without it."),
  content_type: optional(z.string().regex(/^[\w.+-]+\/[\w.+-]+$/)).describe('a media type, such as image/png.'),
});

const flowOrder = flowDefinition.extend({
  account,
  enabled: optional(z.boolean()).describe('false to have no run begin; true by default.'),
});

const endpointOrder = z.strictObject({
  account,
  url: optional(text({ min: 1 })).describe('an https URL of a public host, or a URL of this machine.'),
  inbox: optional(z.string()).describe('the name of a built-in inbox, in place of url.'),
  events: optional(eventTypes).describe(`one or more of ${EVENT_TYPES.join(', ')}; all of them without it.`),
  flow: optional(z.string()).describe('the name of a flow of this file, to hear of its runs alone.'),
  secret: optional(secret(SECRET_PREFIX.signing)).describe(
    'a signing secret of your own, whsec_ and 4 to 100 letters, digits or underscores; one is made without it.',
  ),
});

const ruleOrder = faultRequest.extend({ account });

const many = <Item extends z.ZodType>(item: Item, what: string) => optional(z.array(item).max(MOST)).describe(what);

/** What a world file declares, in the order in which it is made. */
const worldFile = z.strictObject({
  $schema: optional(z.string()).describe('the address of this schema, for editors.'),
  accounts: many(accountOrder, 'accounts beside the first one, which every emulator has.'),
  elements: many(elementOrder, 'characters and things that prompts mention.'),
  objects: many(objectOrder, 'files in storage, free of charge.'),
  flows: many(flowOrder, 'flows.'),
  endpoints: many(endpointOrder, 'webhook endpoints.'),
  rules: many(ruleOrder, 'fault rules.'),
});

type WorldInput = z.output<typeof worldFile>;

/** The orders of one section. */
type Orders<Section extends keyof WorldInput> =
  NonNullable<WorldInput[Section]> extends (infer Order)[] ? Order : never;

/** The schema of a world file for editors. */
export function publishedWorldSchema(): object {
  const schema = z.toJSONSchema(worldFile, { io: 'input', unrepresentable: 'any' });
  return { ...schema, title: 'A world of svc-emulator' };
}

/** How far a seeded state has come to be the world that it was seeded for. */
type Stage = 'due' | 'making' | 'made';

/** Makes each newly seeded state into the world that a file declares: at the first start, and after a reset. */
export class OwnWorld {
  readonly #world: DeclaredWorld;
  readonly #context: Context;
  #isOpen = false;

  constructor(world: DeclaredWorld, context: Context) {
    this.#world = world;
    this.#context = context;
  }

  /** From now on addresses are known, and it can be made. What an earlier start left half made is started anew. */
  async open(): Promise<void> {
    this.#isOpen = true;
    const { barrier, reset, log, config } = this.#context;
    const stage = this.#stage();
    if (stage === 'making') return reset();
    if (stage === undefined)
      log.info({ data_dir: config.dataDir }, 'the data folder has a world of its own; a reset makes that of --world');
    await barrier.closedFor(() => this.wake());
  }

  /** Makes it where the state has been seeded for it. Throws `WorldBroken`. */
  async wake(): Promise<void> {
    if (!this.#isOpen || this.#stage() !== 'due') return;
    await this.#mark('making');
    await new WorldMaking(this.#world, this.#context).make();
    await this.#mark('made');
  }

  get #database() {
    return this.#context.database;
  }

  #stage(): Stage | undefined {
    return readSetting<Stage>(this.#database, WORLD_SETTING);
  }

  #mark(stage: Stage): Promise<void> {
    return this.#database.transact((tx) => writeSetting(tx, WORLD_SETTING, stage));
  }
}

/** Reads the file that `--world` names: `fill` makes each newly seeded state into it, `open` makes what has to listen. */
export async function readWorld(file: string) {
  const declared = await DeclaredWorld.read(file);
  let own: OwnWorld | undefined;
  return {
    fill: (context: Context) => {
      own = new OwnWorld(declared, context);
      return own;
    },
    open: async () => own?.open(),
  };
}

/** Media types by the ending of a file's name. */
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

/** The largest file that storage takes. */
const LARGEST_OBJECT = 100 * 1_048_576;

interface Owner {
  id: string;
  workspaceId: string;
}

/** Makes what a world declares, one after another. Throws `WorldBroken` for what cannot be. */
class WorldMaking {
  readonly #world: DeclaredWorld;
  readonly #context: Context;
  readonly #owners = new Map<string, Owner>();
  readonly #flows = new Map<string, string>();

  constructor(world: DeclaredWorld, context: Context) {
    this.#world = world;
    this.#context = context;
  }

  async make(): Promise<void> {
    const { accounts, elements, objects, flows, endpoints, rules } = this.#world.orders;
    await this.#each('accounts', accounts, (order) => this.#account(order));
    await this.#each('elements', elements, (order) => this.#element(order));
    await this.#each('objects', objects, (order) => this.#object(order));
    await this.#each('flows', flows, (order) => this.#flow(order));
    await this.#each('endpoints', endpoints, (order) => this.#endpoint(order));
    await this.#each('rules', rules, (order) => this.#rule(order));
  }

  async #each<Order>(section: string, orders: readonly Order[] = [], make: (order: Order) => Promise<unknown>) {
    for (const [at, order] of orders.entries()) {
      try {
        await make(order);
      } catch (error) {
        throw this.#world.fault(`${section}.${at}`, error);
      }
    }
  }

  async #account({ name, workspace, keys = [], ...order }: Orders<'accounts'>): Promise<void> {
    const { accounts, database } = this.#context;
    const [key, ...more] = keys;
    const joined = workspace === undefined ? {} : { workspaceId: this.#owner(workspace).workspaceId };
    const { account } = await accounts.open({ name, ...order, ...joined, ...(key === undefined ? {} : { key }) });
    await database.transact((tx) => {
      for (const each of more) accounts.keys.addWithin(tx, account.id, each);
    });
    this.#owners.set(name, account);
  }

  async #element({ account, image, voice, ...order }: Orders<'elements'>): Promise<void> {
    const files = { image: await this.#dataUrl(image, 'image'), voice: await this.#dataUrl(voice, 'voice') };
    const { elements } = this.#context;
    await elements.create(this.#owner(account).id, { ...order, ...files });
  }

  async #object({ account, file, name = path.basename(file), content_type: given }: Orders<'objects'>): Promise<void> {
    const { files, database, objects } = this.#context;
    const content = await this.#world.bytes(file, 'file');
    const bytes = content.length;
    if (bytes === 0 || bytes > LARGEST_OBJECT) throw invalid('file', 'file has to hold 1 byte to 100 MiB.');
    const sha256 = hash('sha256', content, 'hex');
    const contentType = given ?? typeOf(file);
    const accountId = this.#owner(account).id;
    await files.withPins(async (pins) => {
      await putBytes(files, pins, { bytes: content, sha256 });
      await database.transact((tx) => {
        files.keep(tx, { name: sha256, origin: 'upload', bytes, contentType });
        objects.create(tx, { accountId, name, file: sha256, bytes, contentType });
      });
    });
  }

  async #flow({ account, name, steps, enabled = true }: Orders<'flows'>): Promise<void> {
    const { book } = this.#context.flows;
    const [unknown] = book.check(steps);
    if (unknown !== undefined) throw invalid(unknown, `${unknown} is no field of this step; leave it out.`);
    const { id: accountId, workspaceId } = this.#owner(account);
    this.#flows.set(name, (await book.create({ workspaceId, accountId, name, steps, enabled })).id);
  }

  async #endpoint({ account, url, inbox, events, flow, secret }: Orders<'endpoints'>): Promise<void> {
    if ((url === undefined) === (inbox === undefined)) {
      throw invalid('url', 'An endpoint has a url or the name of an inbox; give one of them.');
    }
    const { webhooks, inbox: inboxes } = this.#context;
    await webhooks.endpoints.create(this.#owner(account).workspaceId, {
      url: url ?? inboxes.urlOf(requireInboxName(inbox ?? '', 'inbox')),
      events: events ?? [...EVENT_TYPES],
      flowId: flow === undefined ? null : (this.#flows.get(flow) ?? null),
      secret,
    });
  }

  async #rule({ account, match, effect, times, probability, ttl_seconds: ttlSeconds }: Orders<'rules'>): Promise<void> {
    const scoped = account === undefined ? match : { ...match, account_id: this.#owner(account).id };
    const order = { match: scoped, effect, times, probability };
    requireReach(this.#context, order);
    const { faults } = this.#context;
    await faults.add(ttlSeconds === undefined ? order : { ...order, ttlSeconds });
  }

  /** The account of a name; without one the first, which every emulator has. */
  #owner(name: string | undefined): Owner {
    const owner = name === undefined ? findFirstOwner(this.#context.database) : this.#owners.get(name);
    if (!owner) throw new Error('a world was checked before it was made');
    return owner;
  }

  async #dataUrl(given: string | undefined, param: string): Promise<string | undefined> {
    if (given === undefined || /^(?:data:|https?:)/.test(given)) return given;
    const bytes = await this.#world.bytes(given, param);
    return `data:${typeOf(given)};base64,${bytes.toString('base64')}`;
  }
}

function typeOf(file: string): string {
  return TYPES[path.extname(file).toLowerCase()] ?? 'application/octet-stream';
}

const LARGEST_FILE = 8 * 1_048_576;
const EMPTY = 'it declares nothing; give it accounts, endpoints, rules, flows, elements or objects.';
const reader = new InputReader(worldFile);

/** A world as a file declares it, with the names of its accounts checked. */
class DeclaredWorld {
  readonly orders: WorldInput;
  readonly #file: string;
  readonly #parsed: ParsedFile;

  private constructor(file: string, parsed: ParsedFile, orders: WorldInput) {
    this.#file = file;
    this.#parsed = parsed;
    this.orders = orders;
  }

  /** Throws `WorldBroken` for a file that cannot be read, or says what cannot be. */
  static async read(file: string): Promise<DeclaredWorld> {
    let parsed: ParsedFile | undefined;
    try {
      const facts = await stat(file);
      requirePlain(facts);
      if (facts.size > LARGEST_FILE) throw invalid(null, 'it is over 8 MiB; declare less.');
      parsed = await parseFixtures(await readFile(file, 'utf8'), /\.json$/i.test(file));
      if (parsed.value === null) throw invalid(null, EMPTY);
      const orders = reader.readKnown(parsed.value);
      requireNames(orders);
      return new DeclaredWorld(file, parsed, orders);
    } catch (error) {
      throw broken(file, error, parsed);
    }
  }

  /** What is reported of an order that cannot be carried out: `error` names a field of the order at `at`. */
  fault(at: string, error: unknown): unknown {
    if (!(error instanceof EmulatorError)) return error;
    const field = error.param === null ? at : `${at}.${error.param}`;
    return new WorldBroken(this.#file, this.#parsed.lineOf(field), `${at}: ${error.message}`);
  }

  /** The bytes of a file that the world names, by its path from the world's own. Throws `invalid_request`. */
  async bytes(name: string, param: string): Promise<Buffer> {
    try {
      const file = path.resolve(path.dirname(this.#file), name);
      requirePlain(await stat(file));
      return await readFile(file);
    } catch {
      const quoted = JSON.stringify(name.slice(0, 120));
      throw invalid(
        param,
        `${param} names no file that can be read: ${quoted}. Give its path from ${path.basename(this.#file)}.`,
      );
    }
  }
}

function broken(file: string, error: unknown, parsed: ParsedFile | undefined): unknown {
  if (error instanceof Unparsable) return new WorldBroken(file, error.line, error.message);
  if (error instanceof EmulatorError) {
    return new WorldBroken(file, parsed?.lineOf(error.param) ?? null, error.message);
  }
  if (systemCode(error) === undefined) return error;
  return new WorldBroken(file, null, `it cannot be read (${Object(error).message}).`);
}

/** An account is named once, before it is used; a key belongs to one account. Throws `invalid_request`. */
function requireNames({ accounts = [], flows = [], ...rest }: WorldInput): void {
  const known: string[] = [];
  const keys: string[] = [WELL_KNOWN_KEY];
  for (const [at, { name, workspace, keys: own = [] }] of accounts.entries()) {
    requireKnown(workspace, known, `accounts.${at}.workspace`);
    if (known.includes(name))
      throw invalid(`accounts.${at}.name`, `There are two accounts of the name ${quoted(name)}; rename one.`);
    known.push(name);
    const taken = own.find((key, index) => keys.includes(key) || own.indexOf(key) !== index);
    if (taken !== undefined)
      throw invalid(
        `accounts.${at}.keys`,
        `accounts.${at}.keys has a key that is an account's already; choose another.`,
      );
    keys.push(...own);
  }
  for (const [section, orders = []] of Object.entries({ flows, ...rest })) {
    if (!Array.isArray(orders)) continue;
    for (const [at, order] of orders.entries()) requireKnown(order.account, known, `${section}.${at}.account`);
  }
  const names = flows.map(({ name }) => name);
  for (const [at, { flow }] of (rest.endpoints ?? []).entries()) requireKnown(flow, names, `endpoints.${at}.flow`);
}

function requireKnown(name: string | undefined, known: readonly string[], param: string): void {
  if (name === undefined || known.includes(name)) return;
  const there = known.length === 0 ? 'there is none' : `there are ${known.slice(0, 8).map(quoted).join(', ')}`;
  throw invalid(param, `${param} is ${quoted(name)}, which nothing before it is called; ${there}.`);
}
