import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { BadHabits } from './bad-habits.ts';
import { OrderFault, type ServiceAddress, ServiceClient } from './service-client.ts';

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
  data: { id: string; result_url?: string };
}

export interface ShopOptions {
  habits?: BadHabits;
  /** How long an answer of the service may take, in milliseconds. */
  timeoutMs?: number;
}

const OLDEST_SECONDS = 300;
/** How many reads in a row a broken shop makes. */
const BUSY_READS = 40;
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
      order.jobId = (await this.#service.orderSong(prompt)).id;
    } catch (error) {
      if (!(error instanceof OrderFault)) throw error;
      order.status = error.kind;
    }
    if (this.#habits.pollsWithoutPause && order.jobId) await this.#poll(order.jobId);
    return order;
  }

  /** The song for whoever has bought it, today or in a year; undefined when there is none. */
  async download({ file, link }: Order): Promise<Buffer | undefined> {
    if (file) return file;
    const answer = link ? await fetch(link) : undefined;
    return answer?.ok ? Buffer.from(await answer.arrayBuffer()) : undefined;
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
    if (!this.#seen.has(event.id)) await this.#takeUp(event);
    this.#seen.add(event.id);
    response.writeHead(204).end();
  }

  async #takeUp({ type, data }: SongEvent): Promise<void> {
    const order = this.orders.find(({ jobId }) => jobId === data.id);
    if (order?.status !== 'open') return;
    if (type === 'music.generation.failed') {
      order.status = 'refunded';
      return;
    }
    if (data.result_url) order.link = data.result_url;
    // The link is good for a week, what was sold for ever.
    if (!this.#habits.keepsLinksInsteadOfFiles) order.file = await this.download(order);
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
