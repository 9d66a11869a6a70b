import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { Accounts } from './accounts/accounts.ts';
import { SERVICE } from './api/routes.ts';
import { readCatalogue } from './catalogue/catalogue.ts';
import { mountCdn } from './cdn/mount-cdn.ts';
import type { ClockState } from './clock/clock.ts';
import { VirtualClock } from './clock/virtual-clock.ts';
import type { Config } from './config.ts';
import { CONTROL } from './control/control-routes.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { Database } from './database/database.ts';
import { readSetting } from './database/setting-store.ts';
import { ContentPolicy } from './generation/content-policy.ts';
import { RenderDesk } from './generation/render-desk.ts';
import { Road } from './generation/road.ts';
import { Settlement } from './generation/settlement.ts';
import { mountBack, mountFront } from './http/front.ts';
import { listenEverywhere } from './http/listeners.ts';
import { mount } from './http/mount.ts';
import { controlToken } from './http/origin-rule.ts';
import { RateLimit } from './http/rate-limit.ts';
import { createApp } from './http/server.ts';
import { Journal } from './journal/journal.ts';
import { Elements } from './library/elements.ts';
import { ServedFiles } from './library/served-files.ts';
import type { Log } from './log.ts';
import { openLog } from './open-log.ts';
import { Random } from './random.ts';
import { probePicture } from './render/picture-probe.ts';
import { createReplyWriter } from './render/text/reply.ts';
import { createRenderer } from './render/worker-renderer.ts';
import { seed, seededAt } from './seed.ts';
import { FileFolder } from './storage/file-folder.ts';
import { Files } from './storage/files.ts';
import { Objects } from './storage/objects.ts';
import { References } from './storage/references.ts';
import type { Subsystems } from './subsystems.ts';
import { Webhooks } from './webhooks/webhooks.ts';

/** One emulator that runs. */
export interface Emulator {
  /** Where it listens, without a path: `http://127.0.0.1:4600`. */
  readonly url: string;
  /** What the control surface wants beyond loopback. */
  readonly controlToken: string | undefined;
  /** Finishes or puts off what runs, and lets the data folder go. */
  close(): Promise<void>;
  /** Back to the seeded state. */
  reset(): Promise<void>;
}

/** Starts one emulator. Throws `DataFolderInUse`, `DataFolderUnusable`, or the system's error when it cannot listen. */
export async function startEmulator(config: Config): Promise<Emulator> {
  const folder = openDataFolder(config);
  try {
    const clock = new VirtualClock();
    const log = await openLog(config.log, () => clock.real());
    const built = build(config, folder, { clock, log });
    await built.wake();
    const token = controlToken(config, () => built.subsystems.random.token('', 'control', 0));
    const listeners = await listenEverywhere(createService(built, token), config, built.subsystems);
    return {
      url: listeners.url,
      controlToken: token,
      reset: () => built.subsystems.reset(),
      async close() {
        await listeners.close();
        await built.rest();
        built.close();
        folder.release();
      },
    };
  } catch (error) {
    folder.release();
    throw error;
  }
}

/** The app: what every request passes, the service, its bytes, and the emulator's own surface. */
function createService({ subsystems, served }: Built, token: string | undefined) {
  const app = createApp();
  mountFront(app, subsystems, token);
  mount(app, SERVICE, subsystems);
  mountCdn(app, { served });
  mount(app, CONTROL, subsystems);
  mountBack(
    app,
    subsystems,
    [...SERVICE, ...CONTROL].map((operation) => operation.path),
  );
  return app;
}

interface Built {
  subsystems: Subsystems;
  served: ServedFiles;
  /** Seeds, and takes up what the last run left. */
  wake(): Promise<void>;
  /** Cuts off what runs in the background, so that the database can be changed or closed. */
  rest(): Promise<void>;
  close(): void;
}

/** Builds the subsystems, each after those it needs. */
function build(
  config: Config,
  folder: DataFolder,
  { clock, log }: { clock: VirtualClock; log: Log },
): Built {
  const durable = !config.ephemeral;
  const random = new Random(config.seed);
  const database = new Database({ file: path.join(folder.path, 'emulator.db'), durable, clock });
  const journal = new Journal({ clock, file: path.join(folder.path, 'journal.db') });
  const accounts = new Accounts({ database, random });
  const catalogue = readCatalogue(config.fixtures);
  const files = new Files({
    folder: new FileFolder({ dataFolder: folder.path, scratch: folder.temporary, durable, random }),
    db: database,
    clock,
    maxDisk: config.maxDisk,
  });
  const objects = new Objects({ db: database, random, files });
  const workers = Math.max(1, availableParallelism() - 1);
  const renderer = createRenderer({
    workers,
    scratchFolder: folder.temporary,
    ffmpegPath: config.ffmpeg,
  });
  const served = new ServedFiles({
    db: database,
    clock,
    files,
    render: (request, target) => renderer.render(request, target),
  });
  const references = new References({
    db: database,
    files,
    isOwnUrl: (url) => url.pathname.startsWith('/cdn/'),
    readOwn: (url) => served.read(served.find(url.pathname, url.search.slice(1)).file),
    probePicture,
  });
  const elements = new Elements({ db: database, random, files, references });
  const webhooks = new Webhooks({
    database,
    clock,
    random,
    strict: config.strict,
    forwards: config.forward,
  });
  const settleAfter = config.settleAfter * 1000;
  const settlement = new Settlement({ database, clock, random, objects, webhooks, settleAfter });
  const desk = new RenderDesk({ database, files, renderer, settlement, limit: workers + 1 });
  const road = new Road({ database, random });
  const rateLimit =
    config.rateLimit === undefined ? undefined : new RateLimit(clock, config.rateLimit);
  const policy = new ContentPolicy();
  const replies = createReplyWriter();

  async function wake(): Promise<void> {
    await seed({ database, random, accounts }, config.credits);
    const kept = readSetting<ClockState>(database, 'clock');
    if (kept) clock.restore(kept);
    desk.runner.restart();
    await desk.resume();
    await webhooks.start();
  }

  async function rest(): Promise<void> {
    await desk.runner.stop();
    settlement.forget();
    await webhooks.stop();
  }

  async function reset(): Promise<void> {
    await rest();
    clock.clear();
    database.replace(() => removeDatabase(database.file));
    for (const cache of [accounts, files, rateLimit]) cache?.forget();
    journal.clear();
    await wake();
    await files.sweep();
  }

  const subsystems: Subsystems = {
    ...{
      config,
      clock,
      random,
      database,
      journal,
      log,
      accounts,
      catalogue,
      files,
      objects,
      references,
      elements,
    },
    ...{ webhooks, policy, replies, renderer, settlement, desk, road, rateLimit, reset },
    startedAt: clock.real(),
    seededAt: () => seededAt(database),
    settleDue: async () => {
      while ((await settlement.settleReady()) > 0 && desk.runner.busy) await desk.runner.settled();
    },
  };

  function close(): void {
    void renderer.close();
    journal.close();
    database.close();
    clock.clear();
  }

  return { subsystems, served, wake, rest, close };
}

function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}
