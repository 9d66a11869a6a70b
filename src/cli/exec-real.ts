import { type ConfigOptions, readConfig } from '../config/config.ts';
import type { RealTarget } from '../config/real-target.ts';
import type { Emulator } from '../emulator.ts';
import { counted } from '../log/counted.ts';
import { serviceVariables } from '../runs/sandbox.ts';
import { operationOf } from '../trace/leaned-choices.ts';
import { runToItsEnd } from './child-command.ts';
import { QUIET } from './config-flags.ts';
import { type AskedRequest, type PassedExchange, startPassing } from './pass-on.ts';
import { CommandEnd, EXIT } from './process-end.ts';
import { sayAside } from './terminal-output.ts';

/** Flags that are about an emulator, by their names as a program has them. */
const OF_EMULATORS = [
  ...['repeat', 'trace', 'keep', 'report', 'baseline', 'updateBaseline', 'requireBaseline', 'maxIncrease'],
  ...['failOnVerdict', 'failOnUnstruck', 'summary', 'minRequests'],
];

type RealFlags = ConfigOptions & { maxCredits?: number; quiet?: boolean };

/**
 * `exec` with `SVC_TARGET=real`: runs a command on the service. With `--max-credits` its requests go through a proxy that knows
 * the prices, and ends the run before the next paid request would pass them.
 */
export async function execOnReal(command: readonly string[], target: RealTarget, flags: RealFlags): Promise<void> {
  const given = OF_EMULATORS.find((name) => Object(flags)[name] !== undefined);
  if (given !== undefined) {
    const flag = `--${given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new CommandEnd(
      EXIT.wrongUse,
      `${flag} is for a run on an emulator, and SVC_TARGET is real; leave one of them out.`,
    );
  }
  const before = await balanceOf(target);
  const { exitCode, complaint, credits } = await runOnReal(command, target, flags.maxCredits);
  const after = await balanceOf(target);
  if (!flags.quiet) {
    const booked = credits === undefined ? '' : `, ${credits} by its answers`;
    sayAside(
      `The run cost ${counted(before - after, 'credit')} on ${target.url} (balance ${before} before, ${after} after${booked}).\n`,
    );
  }
  if (complaint !== undefined) throw new CommandEnd(EXIT.failure, complaint);
  if (exitCode !== EXIT.success) throw new CommandEnd(exitCode);
}

interface RealRun {
  exitCode: number;
  complaint?: string | undefined;
  credits?: number;
}

async function runOnReal(command: readonly string[], target: RealTarget, limit: number | undefined): Promise<RealRun> {
  if (limit === undefined) return { exitCode: await runToItsEnd(command, environment(target, target.url)) };
  const { startEmulator } = await import('../emulator.ts');
  const prices = await startEmulator(readConfig({ port: 0, ephemeral: true, warm: false }, {}, QUIET));
  const purse = new Purse(limit, prices);
  const { url: upstream } = target;
  const proxy = await startPassing({
    upstream,
    refuse: (request) => purse.refuse(request),
    onExchange: (exchange) => purse.book(exchange),
  });
  try {
    const exitCode = await runToItsEnd(command, environment(target, proxy.url), undefined, purse.ended.signal);
    return { exitCode, complaint: purse.complaint, credits: purse.spent };
  } finally {
    await proxy.close();
    await prices.close();
  }
}

function environment({ key }: RealTarget, url: string): NodeJS.ProcessEnv {
  return { ...process.env, ...serviceVariables({ url, key }) };
}

async function balanceOf({ url, key }: RealTarget): Promise<number> {
  try {
    const response = await fetch(`${url}/v1/account`, {
      headers: { authorization: `Bearer ${key}` },
      redirect: 'error',
    });
    const { credits } = (await response.json()) as { credits?: unknown };
    if (response.ok && typeof credits === 'number') return credits;
    throw new Error(`GET /v1/account was answered ${response.status}`);
  } catch (error) {
    throw new CommandEnd(EXIT.failure, `The balance at ${url} cannot be read: ${(error as Error).message}.`);
  }
}

/** What may be spent: each paid request is booked at its price before it goes on, and at what its answer says after it. */
class Purse {
  readonly #limit: number;
  readonly #prices: Emulator;
  readonly ended = new AbortController();
  readonly #reserved = new Map<Buffer, number>();
  #turn: Promise<unknown> = Promise.resolve();
  spent = 0;
  complaint: string | undefined;

  constructor(limit: number, prices: Emulator) {
    this.#limit = limit;
    this.#prices = prices;
  }

  /** One after another: two that fit alone may not fit together. */
  refuse(request: AskedRequest): Promise<string | undefined> {
    const decided = this.#turn.then(() => this.#decide(request));
    this.#turn = decided.catch(() => undefined);
    return decided;
  }

  book({ request, status, body }: PassedExchange): void {
    const price = this.#reserved.get(request.body) ?? 0;
    this.#reserved.delete(request.body);
    const [, said] = /"credits_spent"\s*:\s*(\d+)/.exec(body.toString('utf8')) ?? [];
    // Without an answer it may have been charged.
    if (status === 0 || status < 400) this.spent += said === undefined ? price : Number(said);
  }

  async #decide(request: AskedRequest): Promise<string | undefined> {
    if (this.complaint !== undefined) return this.complaint;
    const price = await this.#priceOf(request);
    const open = [...this.#reserved.values()].reduce((sum, each) => sum + each, 0);
    if (price === 0 || this.spent + open + price <= this.#limit) {
      this.#reserved.set(request.body, price);
      return undefined;
    }
    this.complaint = `The run was ended: ${request.method} ${request.path} costs ${counted(price, 'credit')} after ${this.spent + open}; expected at most ${this.#limit} (--max-credits).`;
    this.ended.abort();
    return this.complaint;
  }

  /** Of what the emulator would refuse, nothing: so does the service. */
  async #priceOf({ method, path, body, headers }: AskedRequest): Promise<number> {
    if (method !== 'POST') return 0;
    const operation = operationOf({ method, path, operation: undefined, status: 0, request: '', answer: '' });
    if (operation === undefined) return 0;
    const order = { operation, body: fieldsOf(body, headers['content-type'] ?? ''), bytes: body.length };
    const { credits } = (await this.#prices.control('POST', '/_emulator/price', { body: order })) as {
      credits: number;
    };
    return credits;
  }
}

/** The fields of a JSON body, or the text fields of a form. */
function fieldsOf(body: Buffer, type: string): object {
  const text = body.toString('utf8');
  if (type.startsWith('multipart/')) {
    const fields = [...text.matchAll(/name="(\w{1,64})"\r\n\r\n([^\r]{0,4096})\r\n/g)];
    return Object.fromEntries(fields.map(([, name, value]) => [name, value]));
  }
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
