import type { Config } from './base/config/config.ts';
import { systemErrorCode } from './base/errors.ts';
import { openLog } from './base/log.ts';
import { compose, createEmulatorAppParts, type ProvidedParts } from './compose.ts';
import type { Transport } from './control/call-operation.ts';
import { ControlConnection } from './control/control-connection.ts';
import { describeFaultRule } from './engine/faults/fault-rule.ts';
import { type DataFolder, damagedFolderError, openDataFolder } from './engine/storage/data-folder.ts';
import { type Composition, closeComposition, finishDueWorkIfFlowsRun, removeLeftoverFiles } from './lifecycle.ts';
import type { Context } from './service/http/context.ts';
import { resolveControlToken } from './service/http/control-guard.ts';
import { type ListeningServer, listenOnHost } from './service/http/server.ts';
import { createApp, type LoadableApp } from './service/router.ts';

export interface Emulator {
  /** The address without a path, such as `http://127.0.0.1:4600`. */
  readonly url: string;
  /** The address on this machine: loopback if the emulator listens on all addresses. */
  readonly localUrl: string;
  readonly controlToken: string | undefined;
  /** Another program that uses the same port on ::1, which clients of `localhost` may reach instead. */
  readonly neighbour: string | undefined;
  readonly control: Transport;
  /** What the user should know about the data of --demo and --world. */
  readonly notes: readonly string[];
  /** Sets whether the emulator keeps the process running, as it does by default and while it closes. */
  hold(isHeld: boolean): void;
  /** For a process that ends: unlocks the data folder, and removes it if it is temporary. Closes nothing else. */
  abandon(): void;
  /**
   * Waits some seconds for responses and deliveries in flight, and then interrupts them. Jobs and due deliveries
   * continue at the next start, if the data is kept.
   */
  close(): Promise<void>;
  /** One line for each existing fault rule that was never applied. After `close`, the lines at that time. */
  readonly unusedFaults: readonly string[];
}

export interface StartEmulatorOverrides extends ProvidedParts {
  folder?: DataFolder | undefined;
}

/** Milliseconds until the remaining parts are loaded, so that the first requests need not wait for them. */
const WARM_AFTER = 50;

/** Throws `DataFolderInUse`, `DataFolderUnusable` or `PortInUse`, among others. */
export async function startEmulator(config: Config, host: StartEmulatorOverrides = {}): Promise<Emulator> {
  const worlds = await worldsOf(config);
  const { folder = openDataFolder(config) } = host;
  try {
    const log = host.log ?? (await openLog(config.log, () => composition.context.clock.real()));
    const composition = compose({ config, folder, log, provided: host }, worlds?.fill);
    const { context } = composition;
    await load(composition);
    await context.control.snapshots.tidy();
    const token = resolveControlToken(config, () => context.random.token('', 'control', 0));
    const listeners = await listen(composition, {
      server: createApp(context, createEmulatorAppParts(context, token)),
      token,
    });
    const running = runningEmulator(composition, { listeners, token, folder });
    // If a world is invalid, closes the emulator, and the start fails.
    const address = { url: listeners.localUrl, controlToken: token };
    const notes = worlds ? await orClose(worlds.open(address), () => running.close()) : [];
    return Object.assign(running, { notes });
  } catch (error) {
    folder.abandon();
    throw readableError(error, folder);
  }
}

function readableError(error: unknown, folder: DataFolder): unknown {
  const code = systemErrorCode(error) ?? '';
  if (!code.startsWith('SQLITE_') || /^SQLITE_(?:BUSY|LOCKED)/.test(code)) return error;
  return damagedFolderError(folder.path, `emulator.db cannot be read (${(error as Error).message})`, error);
}

interface Started {
  listeners: ListeningServer;
  token: string | undefined;
  folder: DataFolder;
}

function runningEmulator(composition: Composition, started: Started): Omit<Emulator, 'notes'> {
  const { listeners, token, folder } = started;
  const { context, lifecycle } = composition;
  const unused = () => context.failures.rules.unused().map(describeFaultRule);
  let last: string[] | undefined;
  const hold = (isHeld: boolean) => {
    listeners.hold(isHeld);
    context.clock.hold(isHeld);
  };
  return {
    hold,
    abandon: () => folder.release(),
    url: listeners.url,
    localUrl: listeners.localUrl,
    neighbour: listeners.neighbour,
    control: new ControlConnection(listeners.localUrl, { controlToken: token }).transport,
    get unusedFaults() {
      return last ?? unused();
    },
    controlToken: token,
    async close() {
      hold(true);
      context.records.live.close();
      await lifecycle.beforeStop();
      await listeners.close();
      last = unused();
      for (const line of last) context.log.info({}, `a fault rule never applied: ${line}`);
      await closeComposition(composition);
      folder.markIntact();
      folder.release();
    },
  };
}

async function load(composition: Composition): Promise<void> {
  const { context, lifecycle, tally } = composition;
  context.clock.between(() => finishDueWorkIfFlowsRun(context));
  await orClose(lifecycle.start(), () => closeComposition(composition));
  tally?.attach(context);
  removeLeftoverFiles(context);
}

interface Listening {
  server: LoadableApp;
  token: string | undefined;
}

async function listen(composition: Composition, { server, token }: Listening): Promise<ListeningServer> {
  const { context } = composition;
  const { config, clock, random } = context;
  const { hosts } = context.control;
  const { inboxes, selfUrlDetector } = context.events;
  const listeners = await orClose(listenOnHost(server.app, config, { clock, random }), () =>
    closeComposition(composition),
  );
  hosts.open(listeners.localUrl);
  inboxes.open(listeners.localUrl, token);
  selfUrlDetector.open(new URL(listeners.url));
  if (config.warm) clock.after(WARM_AFTER, () => warm(context, server));
  return listeners;
}

function warm({ storage: { renderer }, log }: Context, server: LoadableApp): void {
  renderer.warm();
  server
    .load()
    .catch((error: unknown) => log.error({ error }, 'the control operations could not be loaded in advance'));
}

async function orClose<T>(step: Promise<T>, close: () => Promise<void>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    await close();
    throw error;
  }
}

async function worldsOf({ world, demo }: Config) {
  const isGiven = world !== undefined || demo;
  return isGiven ? (await import('./control/world/prepare-worlds.ts')).prepareWorlds({ world, demo }) : undefined;
}
