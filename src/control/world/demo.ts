import type { Clock } from '../../base/clock/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Database } from '../../base/database/database.ts';
import { readSetting, writeSetting } from '../../base/database/setting-store.ts';
import type { Log } from '../../base/log.ts';
import { DEMO_SETTING } from '../../engine/accounts/seed.ts';
import { type DemoAddress, DemoClient, type DemoStep, demoSteps } from './demo-steps.ts';

/** What a step may still take once the demo is to pause, in real milliseconds. */
const GRACE = 1000;

export interface DemoParts {
  config: Config;
  database: Database;
  clock: Clock;
  log: Log;
}

/**
 * Populates a state that was seeded for it, in the background. How far it has come is kept in that state, so that a
 * restart goes on, a reset begins anew, a restored state is as it was, and nothing is made twice: a step counts when it
 * begins. Where one fails the log says why, and the others follow.
 */
export class Demo {
  readonly #parts: DemoParts;
  #address: DemoAddress | undefined;
  #work: Promise<void> = Promise.resolve();
  #paused = false;
  #cut = new AbortController();

  constructor(parts: DemoParts) {
    this.#parts = parts;
  }

  /** Begins, or goes on, now that the emulator listens. */
  open(address: DemoAddress): void {
    this.#address = address;
    this.wake();
  }

  /** Goes on with whatever state there is now. */
  wake(): void {
    const { config, log } = this.#parts;
    if (!config.demo || !this.#address) return;
    this.#paused = false;
    this.#cut = new AbortController();
    const client = new DemoClient(this.#address, this.#cut.signal);
    this.#work = this.#populate(client).catch((error: unknown) => log.error({ error }, 'the demo could not go on'));
  }

  /** Resolves when nothing of the demo is under way any more. */
  async warn(): Promise<void> {
    this.#paused = true;
    const cancel = this.#parts.clock.after(GRACE, () => this.#cut.abort());
    await this.#work;
    cancel();
  }

  async #populate(client: DemoClient): Promise<void> {
    const { database, log } = this.#parts;
    const done = readSetting<number>(database, DEMO_SETTING);
    const steps = demoSteps();
    if (done === undefined || done >= steps.length) return;
    for (const [position, step] of steps.entries()) {
      if (position < done) continue;
      if (this.#paused) return;
      await database.transact((tx) => writeSetting(tx, DEMO_SETTING, position + 1));
      await this.#make(step, client);
    }
    // The last step starts a run, whose requests and deliveries are part of it.
    const isAtRest = await client.settle().catch(() => false);
    if (isAtRest) log.info({}, 'the demo is complete');
  }

  async #make(step: DemoStep, client: DemoClient): Promise<void> {
    try {
      await client.make(step);
    } catch (error) {
      if (this.#cut.signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.#parts.log.error({}, `the demo goes without ${step.what}: ${reason}`);
    }
  }
}
