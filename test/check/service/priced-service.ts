import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Random } from '../../../src/base/random.ts';
import { Measurement } from '../../../src/check/service/measure.ts';
import { PAID } from '../../../src/check/service/plan.ts';
import { listening, targetOf } from './stand-in.ts';

/** What a service charges for each of its paths. */
export interface Prices {
  /** Credits above what the specification says, by the operation's path. */
  above: (path: string) => number;
  /** Whether `GET /v1/models` says so. */
  isPublished: boolean;
  /** Whether an answer says how much it was; without it only the balance shows it. */
  isSaid: boolean;
}

const USUAL: Readonly<Record<string, { price: number; model: string }>> = {
  '/v1/chat/completions': { price: 1, model: 'svc-rp-mini' },
  '/v1/images/generations': { price: 10, model: 'svc-image-one' },
  '/v1/videos/generations': { price: 100, model: 'svc-motion-one' },
  '/v1/audio/speech': { price: 3, model: 'svc-voice-one' },
  '/v1/audio/transcriptions': { price: 5, model: 'svc-scribe-one' },
  '/v1/storage/objects': { price: 2, model: 'none' },
  '/v1/music/generations': { price: 3, model: 'svc-music-one' },
};

/** A service that only charges: it has a balance, a price list, and answers without content. */
export class PricedService {
  url = '';
  /** What it has charged since it was opened for an account. */
  charged = 0;
  prices: Prices = { above: () => 0, isPublished: true, isSaid: true };

  /** It ends with its test. */
  static async start(): Promise<PricedService> {
    const service = new PricedService();
    service.url = await listening((request, response) => void service.answer(request, response));
    return service;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    const sent = await text(request);
    const usual = USUAL[url];
    const isOrder = method === 'POST' && usual !== undefined && headers.authorization !== undefined;
    const isRefused =
      /svc-emulator-drift-none|^\{\}$|"messages"(?!:)|name="language"/.test(sent) || !isWhole(url, sent);
    const read: Record<string, () => object> = {
      'GET /v1/account': () => ({ credits: 1000 - this.charged }),
      'GET /v1/models': () => ({ data: this.models() }),
    };
    const answer = isOrder && !isRefused ? () => this.order(url, sent) : read[`${method} ${url}`];
    response.writeHead(answer ? 200 : 400, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer?.() ?? { error: { code: 'invalid_request' } }));
  }

  private order(url: string, sent: string) {
    const { price = 0 } = USUAL[url] ?? {};
    const usual = sent.includes('svc-rp-plus') ? 3 : price;
    const spent = usual + this.prices.above(url);
    this.charged += spent;
    return {
      id: 'job_000000000001',
      status: 'succeeded',
      ...(this.prices.isSaid && { usage: { credits_spent: spent } }),
    };
  }

  private models() {
    return Object.entries(USUAL).map(([url, { price, model }]) => {
      const shown = price + (this.prices.isPublished ? this.prices.above(url) : 0);
      const pricing =
        model === 'svc-motion-one' ? `60 credits per clip; ${shown} credits for 5s` : `${shown} credits per piece`;
      return { id: model, kind: 'any', pricing };
    });
  }
}

/** Whether a request has what its operation needs. */
function isWhole(url: string, sent: string): boolean {
  if (url.includes('chat')) return sent.includes('messages');
  if (url.includes('speech')) return sent.includes('input');
  if (url.includes('transcriptions') || url.includes('objects')) return sent.includes('filename=');
  return sent.includes('prompt');
}

const random = new Random();
const only = PAID.flat().map(({ id }) => id);

interface Spent {
  budget: number;
  charged: number;
  booked: number;
}

/** One run with prices that are off, drawn from its number. */
export async function budgetRun(service: PricedService, n: number): Promise<Spent> {
  const draw = (kind: string, below: number) => Math.floor(random.chance('budget', kind, n) * below);
  service.prices = {
    above: (path) => 1 + draw(`above ${path}`, 10),
    isPublished: draw('published', 2) === 1,
    isSaid: draw('said', 3) > 0,
  };
  return spendRun(service, draw('budget', 160));
}

/** One run with the prices that the service has. */
export async function spendRun(service: PricedService, budget: number): Promise<Spent> {
  service.charged = 0;
  const target = targetOf({ url: service.url, key: 'svc_sk_x' }, 5000);
  const { credits } = await new Measurement(target, { budget, name: 'svc-emulator-drift-budget', only }).measure();
  return { budget, charged: service.charged, booked: credits };
}
