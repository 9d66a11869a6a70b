import { stepKinds } from '../api/steps/step-kinds.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { Semaphore } from '../clock/semaphore.ts';
import type { Config } from '../config/config.ts';
import { Demo } from '../demo/demo.ts';
import type { CrashHook } from '../faults/struck.ts';
import { Recording } from '../fixtures/recording.ts';
import { Flows } from '../flows/flows.ts';
import { openWriters, type Writers } from '../generation/writers.ts';
import { type AssembledLate, lender, type Subsystems } from '../http/context.ts';
import { RateLimit } from '../http/rate-limit.ts';
import { StateBarrier } from '../http/state-barrier.ts';
import { LiveFeed } from '../journal/live-feed.ts';
import { Notices } from '../journal/notices.ts';
import type { Log } from '../log/log.ts';
import type { RememberedRenders } from '../render/remembered-renders.ts';
import type { RunTally } from '../run-report/run-tally.ts';
import type { DataFolder } from '../storage/data-folder.ts';
import { Inbox } from '../webhooks/inbox.ts';
import type { Message } from '../webhooks/inbox-records.ts';
import { layGround } from './ground.ts';
import type { Life, Lives } from './lives.ts';
import { livesOf } from './living.ts';
import { openStore } from './store.ts';
import { setUpWork } from './work.ts';

/** Everything but what changes the whole (that is `life-cycle.ts`) or knows the operations. */
export type Parts = Omit<Subsystems, AssembledLate> & {
  readonly demo: Demo;
  /** Whoever counts what the run spends and touches. */
  readonly tally?: RunTally | undefined;
  /** Whatever has to know of a start, a reset, a restore and a stop. */
  readonly lives: Lives;
};

/** What the one who starts an emulator lends it. */
export interface Lent {
  /** Ends the process, which somebody starts again; without it no fault rule may crash the emulator. */
  crashHook?: CrashHook;
  /** Renders of other emulators of this process too. */
  renders?: RememberedRenders;
  /** What its options name, where it was read already. */
  catalogue?: Catalogue;
  /** Who write for other emulators of this process too. */
  writers?: Writers;
  /** What each newly seeded state is made into. */
  world?: Life | undefined;
}

/** Builds the subsystems of one emulator, each after those it needs. Two emulators in one process share nothing. */
export function assemble(config: Config, folder: DataFolder, log: Log, lent: Lent = {}): Parts {
  const { crashHook, renders, catalogue, world, writers = openWriters() } = lent;
  const ground = layGround(config, { folder, log, catalogue });
  const { clock, random, database, journal } = ground;
  const store = openStore({ config, folder, renders }, ground);
  const work = setUpWork({ config, log, crashHook }, ground, store);
  const notices = new Notices();
  const tell = ({ id }: Message) => notices.tell({ kind: 'message', id, accountId: null });
  const recorded = { database, log, served: store.served, settlement: work.settlement, catalogue: ground.catalogue };
  const parts = {
    config,
    log,
    crashHook,
    notices,
    ...ground,
    ...store,
    ...work,
    ...writers,
    live: new LiveFeed({ clock, journal, notices }),
    inbox: new Inbox({ db: database, clock, random, tell }),
    rateLimit: config.rateLimit === undefined ? undefined : new RateLimit(clock, config.rateLimit),
    barrier: new StateBarrier(clock),
    stateLock: new Semaphore(1),
    recording: config.record === undefined ? undefined : new Recording({ ...recorded, folder: config.record }),
    startedAt: clock.real(),
  };
  const onError = (error: unknown) => log.error({ error }, 'a run of a flow could not go on');
  const flows = new Flows({ ...parts, kinds: stepKinds(lender(parts)), onError });
  work.webhooks.observe((change) => notices.tell(change));
  work.settlement.observe(({ id, accountId }) => notices.tell({ kind: 'job', id, accountId }));
  work.faults.holds.onMessage = ({ id, accountId }) => notices.tell({ kind: 'hold', id, accountId });
  flows.observe(({ id, accountId }) => notices.tell({ kind: 'run', id, accountId }));
  const whole = { ...parts, flows, demo: new Demo(parts) };
  return { ...whole, lives: livesOf(whole, world) };
}
