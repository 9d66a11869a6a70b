import { compose, type Provided } from './assembly/compose.ts';
import { type Composition, continueRuns, dismantle, tidy } from './assembly/lifecycle.ts';
import { loadControl, RequestRouter } from './assembly/router.ts';
import { WELL_KNOWN_KEY } from './assembly/seed.ts';
import { VirtualClock } from './clock/virtual-clock.ts';
import type { Config } from './config/config.ts';
import { faultLine } from './faults/fault-rule.ts';
import { liveFaults } from './faults/fault-store.ts';
import type { Lies } from './faults/lies/lies.ts';
import type { Context } from './http/context.ts';
import { type InProcessCall, InProcessTable, inProcessCalls } from './http/in-process-calls.ts';
import { controlToken } from './http/origin-check.ts';
import type { AuthorityFiles } from './http/run-authority.ts';
import { type Listeners, listenEverywhere } from './http/server.ts';
import { openLog } from './log/log.ts';
import { type DataFolder, openDataFolder } from './storage/data-folder.ts';

/** One emulator that runs. */
export interface Emulator {
  /** Where it listens, without a path: `http://127.0.0.1:4600`. */
  readonly url: string;
  /** The same for clients on this machine, where it listens on all addresses. */
  readonly localUrl: string;
  /** The token that the control surface requires beyond loopback. */
  readonly controlToken: string | undefined;
  /** Where it serves https: files with the certificate of its authority, alone and beside those that are known anywhere. */
  readonly authority: AuthorityFiles | undefined;
  /** The control surface, for callers in this process. */
  readonly control: InProcessCall;
  /** What it tells otherwise than it is, for a run of mutate in this process. */
  readonly lies: Lies;
  /** Finishes or postpones what runs, and releases the data folder. */
  close(): Promise<void>;
  /** Once closed: a line for each fault rule that never applied, whose test therefore tested nothing. */
  readonly unusedFaults: readonly string[];
}

/** What an embedding program may set beyond the options. */
export interface Host extends Provided {
  /** The folder of the state, instead of the one of the options. */
  folder?: DataFolder | undefined;
  /** The routes of the control surface, where another emulator of this process has them already. */
  inProcessTable?: InProcessTable;
}

/** How long after the ready line the rest is loaded, in milliseconds: requests that come at once are served first. */
const WARM_AFTER = 50;

const FULL =
  'the disk of the data folder has no 3 MiB left: orders are refused with 507 storage_full until some space is free';

/** Starts one emulator. Throws `DataFolderInUse`, `DataFolderUnusable`, `PortInUse`, or the system's error when it cannot listen. */
export async function startEmulator(config: Config, host: Host = {}): Promise<Emulator> {
  const world = config.world === undefined ? undefined : await readWorld(config.world);
  const overlay = config.overlay === undefined ? undefined : await readOverlay(config.overlay);
  const { folder = openDataFolder(config) } = host;
  try {
    const log = await openLog(config.log, () => composition.context.clock.real());
    const composition = compose({ config, folder, log, provided: { ...host, overlay } }, world?.fill);
    const { context } = composition;
    await load(composition);
    if (overlay) await orClose(refuseLies(context), () => dismantle(composition));
    await context.snapshots.tidy();
    const token = controlToken(config, () => context.random.token('', 'control', 0));
    const secure = config.https ? await secured(config, folder.path, context.clock.real()) : undefined;
    const listeners = await listen(composition, { router: new RequestRouter(context, token), token, secure });
    const release = () => {
      secure?.files.remove();
      folder.release();
    };
    const running = runningEmulator(composition, { listeners, token, host, authority: secure?.files, release });
    // Where the world cannot be opened, what runs already is closed.
    if (world) await orClose(world.open(), () => running.close());
    return running;
  } catch (error) {
    folder.release();
    throw error;
  }
}

interface Started {
  listeners: Listeners;
  token: string | undefined;
  host: Host;
  authority: AuthorityFiles | undefined;
  release(): void;
}

function runningEmulator(composition: Composition, started: Started): Emulator {
  const { listeners, token, host, authority, release } = started;
  const { context, lifecycle } = composition;
  const unusedFaults: string[] = [];
  return {
    url: listeners.url,
    localUrl: listeners.localUrl,
    control: inProcessCalls(host.inProcessTable ?? new InProcessTable(loadControl), context, listeners.localUrl),
    unusedFaults,
    lies: context.lies,
    controlToken: token,
    authority,
    async close() {
      context.live.close();
      await lifecycle.warn();
      await listeners.close();
      unusedFaults.push(...context.faults.unused().map(faultLine));
      for (const line of unusedFaults) context.log.info({ choice: 'C239' }, `a fault rule never struck: ${line}`);
      await dismantle(composition);
      release();
    },
  };
}

/** What a file of shapes has otherwise than the emulator, for which a fresh one is asked. Loaded only where there is one. */
async function readOverlay(file: string) {
  const { readOverlay: read } = await import('./drift/overlay-file.ts');
  const { signal } = new AbortController();
  const asked = { clock: new VirtualClock(), name: 'svc-emulator-drift-overlay', signal };
  return read(file, { ...asked, start: startEmulator, key: WELL_KNOWN_KEY });
}

/** Throws `invalid_request` where the data folder has a lie at a site of the overlay. */
async function refuseLies({ database, lies }: Context): Promise<void> {
  const { requireNoOverlay } = await import('./control/lies.ts');
  for (const { match, effect } of liveFaults(database)) requireNoOverlay(lies, { match, effect });
}

/** The state that a file declares, made when the emulator listens. Loaded only where there is one. */
async function readWorld(file: string) {
  const { DeclaredWorld } = await import('./world/world-file.ts');
  const { OwnWorld } = await import('./world/own-world.ts');
  const declared = await DeclaredWorld.read(file);
  let own: InstanceType<typeof OwnWorld> | undefined;
  return {
    fill: (context: Context) => {
      own = new OwnWorld(declared, context);
      return own;
    },
    open: async () => own?.open(),
  };
}

/** Loads the state that there is. */
async function load(composition: Composition): Promise<void> {
  const { context, lifecycle, tally } = composition;
  context.clock.between(() => continueRuns(context));
  await orClose(lifecycle.wake(), () => dismantle(composition));
  if (!context.reserve.hasRoom()) context.log.error({}, FULL);
  tally?.attach(context);
  tidy(context);
}

interface Listening {
  router: RequestRouter;
  token: string | undefined;
  secure: Awaited<ReturnType<typeof secured>> | undefined;
}

/** The certificate of this run, and the files by which clients trust it. Loaded only where https is served. */
async function secured({ host }: Config, folder: string, now: number) {
  const { AuthorityFiles: Files, makeRunCertificate } = await import('./http/run-authority.ts');
  const names = new Set([host, '127.0.0.1', '::1', 'localhost', 'host.docker.internal']);
  const certificate = makeRunCertificate([...names], now);
  return { certificate, files: new Files(folder, certificate) };
}

/** Listens, and gives the address to the parts that send to the emulator itself. */
async function listen(composition: Composition, { router, token, secure }: Listening): Promise<Listeners> {
  const { context, demo } = composition;
  const { config, clock, hosts, inbox, random, selfUrlGuard } = context;
  const parts = { clock, random, secure: secure?.certificate };
  const listeners = await orClose(listenEverywhere(router.answer, config, parts), () => dismantle(composition));
  hosts.open(listeners.localUrl);
  inbox.open(listeners.localUrl, token);
  selfUrlGuard.open(new URL(listeners.url).port, new URL(listeners.localUrl).port);
  demo.open({ url: listeners.localUrl, controlToken: token, key: WELL_KNOWN_KEY });
  if (config.warm) clock.after(WARM_AFTER, () => warm(context, router));
  return listeners;
}

/** Loads ahead what later requests need. */
function warm({ renderer, log }: Context, router: RequestRouter): void {
  renderer.warm();
  router.load().catch((error: unknown) => log.error({ error }, 'the control surface could not be loaded ahead'));
}

/** Where a step of the start fails, what was started before it is closed. */
async function orClose<T>(step: Promise<T>, close: () => Promise<void>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    await close();
    throw error;
  }
}
