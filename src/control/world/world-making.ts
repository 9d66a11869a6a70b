import { hash } from 'node:crypto';
import path from 'node:path';
import { invalid } from '../../base/errors.ts';
import { findFirstOwner } from '../../engine/accounts/account-store.ts';
import { putBytes } from '../../engine/storage/put-bytes.ts';
import { EVENT_TYPES } from '../../engine/webhooks/event-schemas.ts';
import type { Context } from '../../service/http/context.ts';
import { requireReach } from '../faults.ts';
import { requireInboxName } from '../inbox.ts';
import type { DeclaredWorld } from './world-file.ts';
import type { Orders } from './world-schema.ts';

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
export class WorldMaking {
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
    await webhooks.createEndpoint(this.#owner(account).workspaceId, {
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
