import type { Clock } from '../../base/clock/clock.ts';
import { pause } from '../../base/clock/waits.ts';
import type { InboxClient } from '../../client/client-parts.ts';
import type { AccountClient, EmulatorClient } from '../../client/emulator-client.ts';
import type { LieSwitch } from '../../client/lie-relay.ts';
import { operationsOver, type Transport } from '../../control/call-operation.ts';
import { hasAccount, type RunContext, type RunRecord, readRecord, settleRun } from './run-record.ts';
import type { OwnRunner, Run, RunOrder } from './runner.ts';

/** What each run of a story has for itself: an account and a receiver; the emulator is shared. */
export interface StoryParts {
  emulator: EmulatorClient;
  account: AccountClient;
  inbox: InboxClient;
  /** Has something done when the run has been judged: what a story leaves running is to be closed here. */
  atEnd(work: () => unknown): void;
}

export interface ClosableEmulator {
  client: EmulatorClient;
  control: Transport;
  /** Of one in this process: what it reports otherwise than it is. */
  lies?: LieSwitch;
  close(): Promise<void>;
}

export type Story = (parts: StoryParts) => unknown;

/** What the user knows at the end of each run. */
export interface StoryChecks {
  /** Throws where the state at the end of a run is not as it should be. */
  check?: (parts: StoryParts) => unknown;
  /** The app's own state at the end of a run, as JSON has it. */
  probe?: (parts: StoryParts) => unknown;
}

/** Where stories that are functions are run. */
export interface FunctionWorld {
  clock: Clock;
  version: string;
  openEmulator(seed: number): Promise<ClosableEmulator>;
}

interface FunctionRunnerOptions extends StoryChecks {
  story: Story;
  clock: Clock;
  openEmulator(): Promise<ClosableEmulator>;
}

const CREDITS = 1000;
/** What is on record of an account that a reset has removed. */
const NO_RECORD: RunRecord = { requests: [], jobs: [], deliveries: [], ledger: [], findings: [] };

/** Runs a function as the story: each run on an account of its own, of one emulator unless the story moves the clock. */
export class FunctionRunner implements OwnRunner {
  readonly hasApp = false;
  readonly #options: FunctionRunnerOptions;
  #shared: Promise<ClosableEmulator> | undefined;
  #movesClock = false;
  #runs = 0;

  constructor(options: FunctionRunnerOptions) {
    this.#options = options;
  }

  async run(order: RunOrder): Promise<Run> {
    if (!this.#movesClock) {
      this.#shared ??= this.#options.openEmulator();
      return this.#runOn(await this.#shared, order);
    }
    const own = await this.#options.openEmulator();
    try {
      return await this.#runOn(own, order);
    } finally {
      await own.close();
    }
  }

  async close(): Promise<void> {
    await (await this.#shared)?.close();
  }

  async #runOn({ client: emulator, control, lies }: ClosableEmulator, order: RunOrder): Promise<Run> {
    this.#runs += 1;
    const account = await emulator.account({ name: `run ${this.#runs}`, plan: 'studio', credits: CREDITS });
    const closing: (() => unknown)[] = [];
    const atEnd = (work: () => unknown) => void closing.push(work);
    const parts = { emulator, account, inbox: emulator.inbox(account.id), atEnd };
    try {
      const context = { control: operationsOver(control), scope: account.id, accountId: account.id };
      return await this.#runIn(context, parts, { ...order, lies, isOpen: () => closing.length > 0 });
    } finally {
      for (const work of closing.reverse()) await work();
    }
  }

  async #runIn(
    context: RunContext,
    parts: StoryParts,
    { prepare, limitMs, lies, isOpen }: RunOrder & { lies: LieSwitch | undefined; isOpen(): boolean },
  ): Promise<Run> {
    const { clock } = this.#options;
    const { emulator } = parts;
    const isFirst = this.#runs === 1;
    const prepared = await prepare?.({ context, app: undefined, lies });
    const offset = isFirst ? await clockOffset(emulator, clock) : 0;
    const began = clock.real();
    const failure = await this.#play(parts, limitMs, prepared?.over);
    const ms = clock.real() - began;
    await prepared?.end?.();
    // What the story left running may still have something to ask.
    const isThere = await hasAccount(context);
    const rested = !isThere || (await settleRun(context, clock, isOpen()));
    const probe = await this.#options.probe?.(parts);
    const check = await messageOf(() => this.#options.check?.(parts));
    const record = isThere ? await readRecord(context) : NO_RECORD;
    await prepared?.read?.();
    if (isFirst) this.#movesClock = Math.abs((await clockOffset(emulator, clock)) - offset) > CLOCK_SLACK_MS;
    const output = failure?.message ?? check ?? '';
    return { record, failure, output, probe, check, rested, made: began, began, ended: clock.real(), ms };
  }

  async #play(parts: StoryParts, limitMs: number | undefined, ended: AbortSignal | undefined): Promise<Run['failure']> {
    const { clock, story } = this.#options;
    const over = new AbortController();
    const failure = messageOf(() => story(parts)).then((message) => message && ({ kind: 'exit', message } as const));
    if (limitMs === undefined) return (await failure) || undefined;
    const message = `The story did not end within ${Math.round(limitMs / 1000)} s.`;
    const hang = pause(clock, limitMs, over.signal)
      .then(() => ({ kind: 'hang', message }) as const)
      .catch(() => undefined);
    const end = await Promise.race([failure, hang, ...(ended ? [stopped(ended)] : [])]);
    over.abort();
    return end || undefined;
  }
}

const CLOCK_SLACK_MS = 900;

/** How far the emulator's clock is from the machine's, in milliseconds. */
async function clockOffset(emulator: EmulatorClient, clock: Clock): Promise<number> {
  return Date.parse((await emulator.clock.read()).now) - clock.real();
}

/** Resolves when a story is ended before its end. */
function stopped(ended: AbortSignal): Promise<Run['failure']> {
  return new Promise((resolve) => {
    const stop = () => resolve({ kind: 'exit', message: 'The story was ended before its end.' });
    if (ended.aborted) stop();
    ended.addEventListener('abort', stop, { once: true });
  });
}

async function messageOf(work: () => unknown): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
