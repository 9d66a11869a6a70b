import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { PLANS } from '../accounts/plans.ts';
import { ROLES } from '../accounts/roles.ts';
import { WELL_KNOWN_KEY } from '../assembly/seed.ts';
import { requirePlain } from '../config/plain-file.ts';
import { MOST_CREDITS } from '../control/accounts.ts';
import { faultRequest } from '../control/faults.ts';
import { flowDefinition } from '../control/flow-schemas.ts';
import { EmulatorError, invalid, systemCode } from '../errors.ts';
import { type ParsedFile, parseFixtures, Unparsable, WorldBroken } from '../fixtures/parsed-file.ts';
import { optional, text, whole } from '../http/field-schemas.ts';
import { InputReader } from '../http/input.ts';
import { SECRET_PREFIX } from '../ids.ts';
import { EVENT_TYPES, eventTypes } from '../webhooks/event-schemas.ts';

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
  budget: optional(whole(0, MOST_CREDITS)).describe('what it may spend at most, in credits.'),
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
export const worldFile = z.strictObject({
  $schema: optional(z.string()).describe('the address of this schema, for editors.'),
  accounts: many(accountOrder, 'accounts beside the first one, which every emulator has.'),
  elements: many(elementOrder, 'characters and things that prompts mention.'),
  objects: many(objectOrder, 'files in storage, free of charge.'),
  flows: many(flowOrder, 'flows.'),
  endpoints: many(endpointOrder, 'webhook endpoints.'),
  rules: many(ruleOrder, 'fault rules.'),
});

export type WorldInput = z.output<typeof worldFile>;

/** The orders of one section. */
export type Orders<Section extends keyof WorldInput> =
  NonNullable<WorldInput[Section]> extends (infer Order)[] ? Order : never;

/** The schema of a world file for editors. */
export function publishedWorldSchema(): object {
  const schema = z.toJSONSchema(worldFile, { io: 'input', unrepresentable: 'any' });
  return { ...schema, title: 'A world of svc-emulator' };
}

const LARGEST_FILE = 8 * 1_048_576;
const EMPTY = 'it declares nothing; give it accounts, endpoints, rules, flows, elements or objects.';
const reader = new InputReader(worldFile);

/** A world as a file declares it, with the names of its accounts checked. */
export class DeclaredWorld {
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
      throw invalid(`accounts.${at}.name`, `There are two accounts of the name ${shown(name)}; rename one.`);
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
  const there = known.length === 0 ? 'there is none' : `there are ${known.slice(0, 8).map(shown).join(', ')}`;
  throw invalid(param, `${param} is ${shown(name)}, which nothing before it is called; ${there}.`);
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 80));
}
