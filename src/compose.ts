import { availableParallelism } from 'node:os';
import path from 'node:path';
import { Semaphore } from './base/clock/clock.ts';
import { VirtualClock } from './base/clock/virtual-clock.ts';
import type { Config } from './base/config/config.ts';
import { Database } from './base/database/database.ts';
import { TEMPORARY_DATABASE } from './base/database/open-sqlite.ts';
import { createRequestLogger, type Log } from './base/log.ts';
import { Random } from './base/random.ts';
import { findAffectedOperationNames } from './control/live-changes.ts';
import { OpenapiDocuments } from './control/openapi/openapi-document.ts';
import { Accounts } from './engine/accounts/accounts.ts';
import { Tests } from './engine/accounts/tests.ts';
import type { Catalogue } from './engine/catalogue/catalogue.ts';
import { FaultRules } from './engine/faults/fault-rules.ts';
import { FaultWaits } from './engine/faults/fault-waits.ts';
import { Holds } from './engine/faults/holds.ts';
import { LatencyProfile, readLatencyProfileFile } from './engine/faults/latency-profile.ts';
import { FlowRuns } from './engine/flows/flows.ts';
import { CompletionWriter } from './engine/generation/completion-writer.ts';
import { ContentPolicy } from './engine/generation/content-policy.ts';
import { PaidJobWork } from './engine/generation/job-work.ts';
import { UnansweredCharges } from './engine/generation/unanswered-store.ts';
import { Jobs } from './engine/jobs/jobs.ts';
import { Journal } from './engine/journal/journal.ts';
import { LiveFeed } from './engine/journal/live-feed.ts';
import { Notices } from './engine/journal/notices.ts';
import { ServedFiles } from './engine/library/served-files.ts';
import { SnapshotFolder } from './engine/snapshots/snapshot-folder.ts';
import { Snapshots } from './engine/snapshots/snapshots.ts';
import type { DataFolder } from './engine/storage/data-folder.ts';
import { FileFolder } from './engine/storage/file-folder.ts';
import { Files } from './engine/storage/files.ts';
import { ReferenceMediaReader } from './engine/storage/references.ts';
import { findEndpointsOfInbox, Inboxes, type ReceivedMessage } from './engine/webhooks/inboxes.ts';
import { SelfUrlDetector, UrlGuard } from './engine/webhooks/url-guard.ts';
import { WEBHOOK_LIMITS, Webhooks } from './engine/webhooks/webhooks.ts';
import {
  type Component,
  type Composition,
  createLifecycle,
  finishDueWork,
  type RunUsageCounter,
  resetState,
  restoreState,
} from './lifecycle.ts';
import { probeAudio } from './media/audio-probe.ts';
import { probePicture } from './media/picture-probe.ts';
import type { RenderCache } from './media/render-cache.ts';
import { Songwriter } from './media/songwriter/songwriter.ts';
import { createReplyWriter } from './media/text/reply-writer.ts';
import { WorkerRenderer } from './media/worker-renderer.ts';
import { createStepDefinitions } from './service/api/step-definitions.ts';
import { Fixtures } from './service/fixtures/fixtures.ts';
import { readOwnOrShippedCatalogue } from './service/fixtures/read-catalogue.ts';
import { HostHeaderGuard, isLoopbackBind, RateLimiter } from './service/http/access.ts';
import type { BaseContext, Context, StorageContext } from './service/http/context.ts';
import type { Operation } from './service/http/operation.ts';
import { StateBarrier } from './service/http/state-barrier.ts';
import type { EmulatorAppParts } from './service/router.ts';

/** Called on demand or soon after the start, because the start does not need control operations. */
async function loadControl(): Promise<readonly Operation[]> {
  const [{ CONTROL_OPERATIONS }, { DOCUMENT_OPERATIONS }] = await Promise.all([
    import('./control/control-routes.ts'),
    import('./control/documents.ts'),
  ]);
  return [...CONTROL_OPERATIONS, ...DOCUMENT_OPERATIONS];
}

export function createEmulatorAppParts(context: Context, token: string | undefined): EmulatorAppParts {
  return {
    token,
    operations: loadControl,
    pages: async () => {
      const [{ INBOX_ROUTE, mountInbox }, { MCP_PATH, mountMcp }, { mountDashboard }] = await Promise.all([
        import('./control/inbox.ts'),
        import('./control/mcp/mount-mcp.ts'),
        import('./dashboard/mount-dashboard.ts'),
      ]);
      return {
        paths: [INBOX_ROUTE, MCP_PATH],
        mount: (router) => {
          mountInbox(router, context.events.inboxes);
          mountMcp(router, context, token);
          mountDashboard(router, token);
        },
      };
    },
  };
}

/**
 * The writers of replies and songs, and the content policy. Emulators in one process can share them, because their only
 * state is a cache.
 */
interface Writers {
  readonly completions: CompletionWriter;
  readonly policy: ContentPolicy;
  readonly songwriter: Songwriter;
}

export function createWritersAndContentPolicy(): Writers {
  return {
    completions: new CompletionWriter(createReplyWriter()),
    policy: new ContentPolicy(),
    songwriter: new Songwriter(),
  };
}

export interface ProvidedParts {
  log?: Log;
  renders?: RenderCache;
  catalogue?: Catalogue;
  writers?: Writers;
  tally?: RunUsageCounter;
}

interface Foundation {
  config: Config;
  folder: DataFolder;
  log: Log;
  provided: ProvidedParts;
}

/** Two emulators in one process share only the `provided` parts. `worlds` fill each new seeded state. */
export function compose(foundation: Foundation, worlds?: (context: Context) => Component[]): Composition {
  const { config, log, folder, provided } = foundation;
  const base = composeBase(foundation);
  const { hosts, storage } = composeStorage(foundation, base);
  const { generation, events, rules, fixtures } = composeWork(foundation, base, storage);
  const { clock, random, database, accounts, records } = base;
  const work: BaseContext = {
    ...{ config, log, clock, random, database, accounts, generation, storage, events, records },
    failures: { rules, fixtures },
  };
  const onError = (error: unknown) => log.error({ error }, 'a run of a flow could not continue');
  const { jobs, catalogue } = generation;
  const { webhooks } = events;
  const flows = new FlowRuns({
    database,
    clock,
    random,
    webhooks,
    jobs,
    definitions: createStepDefinitions(work),
    onError,
  });
  const stateLock = new Semaphore(1);
  const snapshots = new Snapshots({
    ...{ clock, database, random, config, stateLock, files: storage.files, journal: records.journal },
    folder: new SnapshotFolder(folder.path),
    replaceState: async (file, journal) => {
      await restoreState(composition, file, journal);
      records.live.publishState('restored');
    },
  });
  const context: Context = {
    ...work,
    control: {
      ...{ hosts, flows, snapshots, stateLock, tests: base.tests },
      rateLimit: config.rateLimit === undefined ? undefined : new RateLimiter(clock, config.rateLimit),
      barrier: new StateBarrier(clock),
      startedAt: clock.real(),
      documents: new OpenapiDocuments(catalogue),
      settleDue: () => finishDueWork(context),
      reset: async () => {
        await resetState(composition);
        records.live.publishState('reset');
      },
    },
  };
  publishChanges(context);
  const composition = { context, lifecycle: createLifecycle(context, worlds?.(context) ?? []), tally: provided.tally };
  return composition;
}

function publishChanges({
  config,
  records: { notices, journal },
  events: { webhooks },
  generation: { jobs },
  failures: { rules },
  control: { flows },
  log,
}: Context): void {
  if (config.log !== 'silent') journal.observe(createRequestLogger(log));
  webhooks.observe(notices.publish);
  jobs.observe(notices.of('job'));
  rules.holds.onMessage = notices.of('hold');
  flows.observe(notices.of('run'));
}

type Base = ReturnType<typeof composeBase>;

function composeBase({
  config,
  folder,
  log,
  provided: { catalogue = readOwnOrShippedCatalogue(config.fixtures) },
}: Foundation) {
  const clock = new VirtualClock();
  const random = new Random(config.seed);
  const file = (name: string) => path.join(folder.path, name);
  const scratch = (name: string) => (folder.isEphemeral ? TEMPORARY_DATABASE : file(name));
  const logged = (message: string) => (error: unknown) => log.error({ error }, message);
  const database = new Database({
    file: file('emulator.db'),
    durable: !config.ephemeral,
    clock,
    onHookError: logged('work after a commit failed by a bug'),
  });
  const journal = new Journal({
    clock,
    file: scratch('journal.db'),
    limit: config.journalLimit,
    onError: logged('the journal could not be written'),
  });
  clock.observe((before, mark) => journal.audit.clockMoved(before, mark));
  const notices = new Notices();
  const live = new LiveFeed({ clock, journal, notices, changedBy: findAffectedOperationNames });
  const accounts = new Accounts({ database, random });
  const tests = new Tests({ clock, random });
  const records = { journal, audit: journal.audit, notices, live };
  return { clock, random, catalogue, database, accounts, tests, records };
}

const AUDIO_TYPE = { wav: 'audio/wav', mp3: 'audio/mpeg' };

function composeStorage({ config, folder, provided }: Foundation, { clock, random, database: db }: Base) {
  const hosts = new HostHeaderGuard(config);
  const paths = { dataFolder: folder.path, scratch: folder.temporary, durable: !config.ephemeral, random };
  const files = new Files({ folder: new FileFolder(paths), db, clock, maxDisk: config.maxDisk });
  const pool = { workers: workerCount(), scratchFolder: folder.temporary, ffmpegPath: config.ffmpeg };
  const own = new WorkerRenderer({ clock, ...pool });
  const renderer = provided.renders?.around(own) ?? own;
  const served = new ServedFiles({ db, clock, files, render: renderer.render.bind(renderer) });
  const references = new ReferenceMediaReader({
    db,
    files,
    isOwnUrl: (url: URL) => url.pathname.startsWith('/cdn/') && hosts.isOwn(url),
    readOwn: (url: URL) => served.read(served.find(url.pathname, url.search.slice(1)).file),
    probePicture: (bytes: Buffer) => ({ contentType: `image/${probePicture(bytes).format}` }),
    probeVoice: (bytes: Buffer) => ({ contentType: AUDIO_TYPE[probeAudio(bytes).format] }),
  });
  return { hosts, storage: { files, renderer, served, references } };
}

function composeWork(
  { config, log, provided: { writers = createWritersAndContentPolicy() } }: Foundation,
  base: Base,
  storage: StorageContext,
) {
  const { clock, random, database, catalogue } = base;
  const { files, renderer } = storage;
  const holds = new Holds({ clock, random });
  const waits = new FaultWaits(clock);
  const selfUrlDetector = new SelfUrlDetector(config);
  const guard = new UrlGuard({
    ...{ clock, strict: config.strict, forwards: config.forward, own: selfUrlDetector },
    isReachable: !isLoopbackBind(config.host),
  });
  const onError = (error: unknown) => log.error({ error }, 'a delivery could not be recorded');
  const parts = { database, clock, random, guard, holds, waits, onError };
  const webhooks = new Webhooks({ ...parts, limits: WEBHOOK_LIMITS });
  const unanswered = new UnansweredCharges({ database, random });
  // Each worker has a running and a waiting render. Two more may be writing their files.
  const limits = { settleAfterMs: config.settleAfter * 1000, atOnce: 2 * workerCount() + 2 };
  const jobs = new Jobs({
    database,
    clock,
    work: new PaidJobWork({ files, renderer, random, webhooks }),
    isStopping: () => unanswered.isStopping,
    limits,
  });
  const scripts = { folder: config.fixtures, only: config.fixturesOnly };
  const fixtures = new Fixtures({ database, random, files, catalogue, log, ...scripts });
  const rules = new FaultRules({
    database,
    clock,
    random,
    profile: profileOf(config, base),
    holds,
    waits,
    tests: base.tests,
  });
  const { mediaSize } = config;
  const paid = { database, clock, mediaSize, random, catalogue, jobs, unanswered, ...writers };
  return { generation: paid, events: { selfUrlDetector, webhooks, inboxes: inboxesOf(base) }, fixtures, rules };
}

function inboxesOf({ clock, random, database, records }: Base): Inboxes {
  const onMessage = ({ id }: ReceivedMessage) => records.notices.publish({ kind: 'message', id, accountId: null });
  return new Inboxes({ endpointsOf: (name) => findEndpointsOfInbox(database, name), clock, random, onMessage });
}

function profileOf({ profile }: Config, { catalogue, random }: Base): LatencyProfile | undefined {
  if (profile === undefined) return undefined;
  const isModel = (id: string) => catalogue.kindOf(id) !== undefined;
  return new LatencyProfile(readLatencyProfileFile(profile, isModel), random);
}

const MAX_WORKERS = 4;

/** Leaves at least one core to the clients, if there are several. */
function workerCount(): number {
  return Math.max(1, Math.min(MAX_WORKERS, availableParallelism() - 1));
}
