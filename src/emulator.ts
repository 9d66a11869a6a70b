import { retoldPrompt } from './api/chat/retold-prompt.ts';
import { assemble, type Lent, type Parts } from './assembly/assemble.ts';
import { dismantle, goOnWithRuns, replaceState, reset, settleDue, tidy } from './assembly/life-cycle.ts';
import { loadControl, RequestRouter, SERVED } from './assembly/request-router.ts';
import { seededAt, WELL_KNOWN_KEY } from './assembly/seed.ts';
import type { Config } from './config/config.ts';
import { faultLine } from './faults/fault-rule.ts';
import { type Lend, lender, type Subsystems } from './http/context.ts';
import { faultPoints } from './http/fault-points.ts';
import { type InProcessCall, InProcessTable, inProcessCalls } from './http/in-process-calls.ts';
import { type Listeners, listenEverywhere } from './http/listeners.ts';
import { controlToken } from './http/origin-rule.ts';
import type { JournalFacts } from './journal/journal-record.ts';
import { counted } from './log/counted.ts';
import { openLog } from './log/open-log.ts';
import { EmulatorDocuments } from './openapi/emulator-documents.ts';
import type { RunTally } from './run-report/run-tally.ts';
import { SnapshotFolder } from './snapshots/snapshot-folder.ts';
import { Snapshots } from './snapshots/snapshots.ts';
import { type DataFolder, openDataFolder } from './storage/data-folder.ts';

/** One emulator that runs. */
export interface Emulator {
  /** Where it listens, without a path: `http://127.0.0.1:4600`. */
  readonly url: string;
  /** The same for who is on this machine, where it listens on all addresses. */
  readonly nearUrl: string;
  /** What the control surface wants beyond loopback. */
  readonly controlToken: string | undefined;
  /** The control surface, for whoever is in this process. */
  readonly control: InProcessCall;
  /** Finishes or puts off what runs, and lets the data folder go. */
  close(): Promise<void>;
  /** Once closed: a line for each fault rule that never struck. Its test saw nothing of what it was to see. */
  readonly unstruckFaults: readonly string[];
  /** Back to the seeded state. */
  reset(): Promise<void>;
}

/** What the one who starts an emulator does for it beyond its options. */
export interface Host extends Lent {
  /** Where its state is, in place of what its options say. */
  folder?: DataFolder | undefined;
  /** The control surface, where it is laid out already. */
  inProcessTable?: InProcessTable;
  /** Counts what the whole run spends and touches. */
  tally?: RunTally;
}

/** Once it is told that the service is ready, in milliseconds: what comes at once is served first. */
const WARM_AFTER = 50;

/** Starts one emulator. Throws `DataFolderInUse`, `DataFolderUnusable`, `PortInUse`, or the system's error when it cannot listen. */
export async function startEmulator(config: Config, host: Host = {}): Promise<Emulator> {
  const makeWorld = config.world === undefined ? undefined : await worldIn(config.world);
  const { folder = openDataFolder(config) } = host;
  try {
    const log = await openLog(config.log, () => parts.clock.real());
    const world = makeWorld?.(() => emulator.lend);
    const parts = { ...assemble(config, folder, log, { ...host, world }), tally: host.tally };
    const snapshots = new Snapshots({
      ...parts,
      maxDisk: parts.config.maxDisk,
      folder: new SnapshotFolder(folder.path),
      replaceState: async (file) => {
        await replaceState(parts, file);
        parts.live.tellState('restored');
      },
    });
    const emulator: Subsystems = {
      ...parts,
      snapshots,
      retoldPrompt,
      documents: new EmulatorDocuments(),
      faultPoints: faultPoints(SERVED),
      seededAt: () => seededAt(parts.database),
      settleDue: () => settleDue(parts),
      reset: async () => {
        await reset(parts, parts);
        parts.live.tellState('reset');
      },
      lend: (names) => lender(emulator)(names),
    };
    await begin(parts);
    await snapshots.tidy();
    const token = controlToken(config, () => parts.random.token('', 'control', 0));
    const listeners = await openDoors(parts, new RequestRouter(emulator.lend, token), token);
    const unstruckFaults: string[] = [];
    const running: Emulator = {
      url: listeners.url,
      nearUrl: listeners.nearUrl,
      control: inProcessCalls(host.inProcessTable ?? new InProcessTable(loadControl), emulator.lend, listeners.nearUrl),
      unstruckFaults,
      controlToken: token,
      reset: emulator.reset,
      async close() {
        parts.live.close();
        await parts.lives.warn();
        await listeners.close();
        unstruckFaults.push(...parts.faults.unstruck().map(faultLine));
        for (const line of unstruckFaults) log.info({}, `a fault rule never struck: ${line}`);
        await dismantle(parts);
        folder.release();
      },
    };
    // What runs already, and is not to be, is closed first.
    if (world) await orClose(world.open(), () => running.close());
    return running;
  } catch (error) {
    folder.release();
    throw error;
  }
}

/** The world that a file declares, for who lends it what it is made with. Loaded where there is one. */
async function worldIn(file: string) {
  const { DeclaredWorld } = await import('./world/declared-world.ts');
  const { OwnWorld } = await import('./world/own-world.ts');
  const declared = await DeclaredWorld.read(file);
  return (lend: () => Lend) => new OwnWorld(declared, lend);
}

/** Takes up the state that there is, and tells of requests from now on. */
async function begin(parts: Parts): Promise<void> {
  parts.journal.observe((facts) => parts.log.info({ request_id: facts.id }, requestLine(facts)));
  parts.clock.between(() => goOnWithRuns(parts));
  await orClose(parts.lives.wake(), () => dismantle(parts));
  parts.tally?.attach(parts);
  tidy(parts);
}

/** Listens, and tells those who send to the emulator itself where that is. */
async function openDoors(parts: Parts, router: RequestRouter, token: string | undefined): Promise<Listeners> {
  const listeners = await orClose(listenEverywhere(router.answer, parts.config, parts), () => dismantle(parts));
  parts.inbox.open(listeners.nearUrl, token);
  parts.selfUrlGuard.open(new URL(listeners.url).port);
  parts.demo.open({ url: listeners.nearUrl, controlToken: token, key: WELL_KNOWN_KEY });
  if (parts.config.warm) parts.clock.after(WARM_AFTER, () => warm(parts, router));
  return listeners;
}

/** Prepares what comes next, while nobody waits. */
function warm({ renderer, log }: Parts, router: RequestRouter): void {
  renderer.warm();
  router.load().catch((error: unknown) => log.error({ error }, 'the control surface could not be loaded ahead'));
}

/** Where a step of the start fails, what was taken up before it does not go on without a folder. */
async function orClose<T>(step: Promise<T>, close: () => Promise<void>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    await close();
    throw error;
  }
}

/** One line a request, for whoever watches. */
function requestLine({ method, path, status, duration_ms, credits }: JournalFacts): string {
  const price = credits === null ? '' : `, ${counted(credits, 'credit')}`;
  return `${method} ${path} ${status} in ${duration_ms} ms${price}`;
}
