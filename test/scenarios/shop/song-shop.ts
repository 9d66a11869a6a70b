import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { BadHabits } from './bad-habits.ts';
import { type Job, OrderFault, type ServiceAddress, ServiceClient } from './service-client.ts';

export interface Order {
  id: number;
  status: 'open' | 'ready' | 'refunded' | 'unpaid' | 'refused' | 'lost';
  jobId?: string;
  cover?: string | undefined;
  link?: string;
  file?: Buffer;
}

interface SongEvent {
  id: string;
  type: string;
  data: Job;
}

export interface ShopOptions {
  habits?: BadHabits;
  /** How long an answer of the service may take, in milliseconds. */
  timeoutMs?: number;
}

const OLDEST_SECONDS = 300;
/** How many reads in a row a broken shop makes. */
const BUSY_READS = 40;
/** How often a file is fetched before it is left for later. */
const MAX_DOWNLOADS = 3;
/** How long a broken shop keeps a webhook waiting, in milliseconds. */
const SLOW_WORK = 5200;

/** A small shop: it orders songs, hears by webhook what became of them, and hands out the files. */
export class SongShop {
  readonly orders: Order[] = [];
  readonly #service: ServiceClient;
  readonly #habits: BadHabits;
  readonly #seen = new Set<string>();
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  #secret = '';
  #turn: Promise<void> = Promise.resolve();

  constructor(address: ServiceAddress, { habits = {}, timeoutMs = 10_000 }: ShopOptions = {}) {
    this.#habits = habits;
    this.#service = new ServiceClient(address, { habits, timeoutMs });
  }

  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    this.#secret = (await this.#service.subscribe(`http://127.0.0.1:${port}/`)).secret;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Sells a song, with a cover for whoever wants one; what cannot be made is not sold. */
  async sell(prompt: string, { withCover = false } = {}): Promise<Order> {
    const order: Order = { id: this.orders.length + 1, status: 'open' };
    this.orders.push(order);
    try {
      if (withCover) order.cover = await this.#service.drawCover(prompt);
      order.jobId = (await this.#service.orderSong(prompt, seedOf(order))).id;
    } catch (error) {
      if (!(error instanceof OrderFault)) throw error;
      // Its event may have come before its answer was given up.
      if (order.status === 'open') order.status = error.kind;
    }
    if (this.#habits.pollsWithoutPause && order.jobId) await this.#poll(order.jobId);
    return order;
  }

  /** Looks at what nobody has told of for too long: events get lost, and so do answers. */
  catchUp(): Promise<void> {
    return this.#inTurn(() => this.#lookAfter());
  }

  async #lookAfter(): Promise<void> {
    const waiting = this.orders.filter(({ status }) => status === 'open' || status === 'lost');
    for (const { jobId } of waiting.filter((order) => order.jobId)) {
      const data = await this.#service.readSong(jobId ?? '');
      const type = `music.generation.${data.status}`;
      if (data.status === 'succeeded' || data.status === 'failed') await this.#settle({ type, data });
    }
    if (waiting.some((order) => !order.jobId))
      for (const event of await this.#service.lastSongs()) await this.#settle(event);
  }

  /** The song for whoever has bought it, today or in a year; undefined when there is none. */
  async download({ file, link, jobId }: Order): Promise<Buffer | undefined> {
    if (file || !link) return file;
    let url: string | undefined = link;
    for (let left = MAX_DOWNLOADS; left > 0 && url; left -= 1) {
      const whole = await this.#service.download(url).catch(() => undefined);
      if (whole || this.#habits.keepsLinksInsteadOfFiles) return whole;
      // A link that has expired is read again; if there is none yet, a later call reads it.
      if (jobId) url = (await this.#service.readSong(jobId)).result_url;
    }
    return undefined;
  }

  async #poll(jobId: string): Promise<void> {
    for (let n = 0; n < BUSY_READS; n += 1) await this.#service.readSong(jobId);
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    const header = String(request.headers['svc-signature'] ?? '');
    if (!this.#isGenuine(body, header)) return void response.writeHead(400).end();
    if (this.#habits.worksBeforeItAnswers) await wait(SLOW_WORK);
    const event = JSON.parse(body.toString()) as SongEvent;
    if (!this.#seen.has(event.id)) await this.#inTurn(() => this.#settle(event));
    this.#seen.add(event.id);
    response.writeHead(204).end();
  }

  /** One thing after the other: two who fetch one song would both use a link that is over. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Of an order that was not answered the seed is known alone. */
  #orderOf({ id, seed }: Job): Order | undefined {
    const known = this.orders.find(({ jobId }) => jobId === id);
    const unanswered = this.orders.filter(({ jobId, status }) => !jobId && (status === 'open' || status === 'lost'));
    return known ?? unanswered.find((order) => seedOf(order) === seed);
  }

  async #settle({ type, data }: Omit<SongEvent, 'id'>): Promise<void> {
    const order = this.#orderOf(data);
    if (order?.status !== 'open' && order?.status !== 'lost') return;
    order.jobId ??= data.id;
    if (type === 'music.generation.failed') {
      order.status = 'refunded';
      return;
    }
    if (data.result_url) order.link = data.result_url;
    // The link is good for a week, what was sold for ever.
    if (!this.#habits.keepsLinksInsteadOfFiles) {
      const file = await this.download(order);
      if (!file) return;
      order.file = file;
    }
    order.status = 'ready';
  }

  #isGenuine(body: Buffer, header: string): boolean {
    const fields = header.split(',').map((field) => field.split('='));
    const t = Number(fields.find(([name]) => name === 't')?.[1]);
    const isFresh = Math.abs(Date.now() / 1000 - t) <= OLDEST_SECONDS;
    if (!isFresh && !this.#habits.trustsOldSignatures) return false;
    const proof = createHmac('sha256', this.#secret).update(`${t}.`).update(body).digest();
    const given = fields.filter(([name]) => name === 'v1').map(([, hex = '']) => Buffer.from(hex, 'hex'));
    const isSigned = given.some((each) => each.length === proof.length && timingSafeEqual(each, proof));
    return isSigned || this.#habits.trustsAnySignature === true;
  }
}

/** The one mark of an order that its job and its events carry. */
function seedOf({ id }: Order): number {
  return 7000 + id * 10;
}
