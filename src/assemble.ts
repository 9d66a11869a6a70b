import { availableParallelism } from 'node:os';
import path from 'node:path';
import { Accounts } from './accounts/accounts.ts';
import { stepKinds } from './api/steps/step-kinds.ts';
import { readCatalogue } from './catalogue/catalogue.ts';
import { VirtualClock } from './clock/virtual-clock.ts';
import type { Config } from './config/config.ts';
import type { DataFolder } from './data-folder.ts';
import { Database } from './database/database.ts';
import { Demo } from './demo/demo.ts';
import { FaultRules } from './faults/fault-rules.ts';
import { LatencyProfile } from './faults/latency-profile.ts';
import { readProfile } from './faults/profile-file.ts';
import type { Die } from './faults/struck.ts';
import { Fixtures } from './fixtures/fixtures.ts';
import { Flows } from './flows/flows.ts';
import { CompletionWriter } from './generation/completion-writer.ts';
import { ContentPolicy } from './generation/content-policy.ts';
import { OwnSound } from './generation/own-sound.ts';
import { RenderDesk } from './generation/render-desk.ts';
import { Road } from './generation/road.ts';
import { Settlement } from './generation/settlement.ts';
import { Songwriter } from './generation/songwriter/songwriter.ts';
import { UnansweredCalls } from './generation/unanswered-calls.ts';
import { Holds } from './holds/holds.ts';
import { Gate } from './http/gate.ts';
import { HostRule } from './http/host-rule.ts';
import { RateLimit } from './http/rate-limit.ts';
import { Journal } from './journal/journal.ts';
import { LiveFeed } from './journal/live-feed.ts';
import { Budgets } from './ledger/budgets.ts';
import { Elements } from './library/elements.ts';
import { ServedFiles } from './library/served-files.ts';
import type { Log } from './log/log.ts';
import { Notices } from './notices.ts';
import { Random } from './random.ts';
import { ActBook } from './record/act-book.ts';
import { probeAudio } from './render/audio-probe.ts';
import { probePicture } from './render/picture-probe.ts';
import type { RememberedRenders } from './render/remembered-renders.ts';
import { createReplyWriter } from './render/text/reply-writer.ts';
import { createRenderer } from './render/worker-renderer.ts';
import type { RunTally } from './run-report/run-tally.ts';
import { Search } from './search/search.ts';
import { SearchIndex } from './search/search-index.ts';
import { Turns } from './snapshots/turns.ts';
import { SqlDesk } from './sql/sql-desk.ts';
import { FileFolder } from './storage/file-folder.ts';
import { Files } from './storage/files.ts';
import { Objects } from './storage/objects.ts';
import { References } from './storage/references.ts';
import type { Subsystems } from './subsystems.ts';
import { Inbox } from './webhooks/inbox.ts';
import type { Message } from './webhooks/inbox-records.ts';
import { OwnDoor } from './webhooks/own-door.ts';
import { Webhooks } from './webhooks/webhooks.ts';

/** Everything but what changes the whole (that is `life-cycle.ts`) or knows the operations. */
export type Parts = Omit<
  Subsystems,
  'seededAt' | 'settleDue' | 'reset' | 'retoldPrompt' | 'documents' | 'snapshots' | 'places'
> & {
  readonly demo: Demo;
  /** Whoever counts what the run spends and touches. */
  readonly tally?: RunTally | undefined;
};

/** More would only share the memory that renders may take. */
const MOST_WORKERS = 4;
const AUDIO_TYPE = { wav: 'audio/wav', mp3: 'audio/mpeg' };

/** What the one who starts an emulator lends it. */
export interface Lent {
  die?: Die;
  /** Renders of other emulators of this process too. */
  renders?: RememberedRenders;
}

/** Builds the subsystems of one emulator, each after those it needs. Two emulators in one process share nothing. */
export function assemble(config: Config, folder: DataFolder, log: Log, { die, renders }: Lent = {}): Parts {
  const clock = new VirtualClock();
  const random = new Random(config.seed);
  const catalogue = readCatalogue(config.fixtures);
  const profile =
    config.profile === undefined
      ? undefined
      : new LatencyProfile(
          readProfile(config.profile, (id) => catalogue.kindOf(id) !== undefined),
          random,
        );
  const durable = !config.ephemeral;
  const database = new Database({ file: path.join(folder.path, 'emulator.db'), durable, clock });
  const journal = new Journal({
    clock,
    file: path.join(folder.path, 'journal.db'),
    onError: (error) => log.error({ error }, 'requests could not be journalled'),
  });
  const record = new ActBook({
    clock,
    file: path.join(folder.path, 'record.db'),
    onError: (error) => log.error({ error }, 'what was done could not be written down'),
  });
  clock.observe((before, mark) => record.clockMoved(before, mark));
  const sql = new SqlDesk({ clock, file: database.file });
  const index = new SearchIndex({
    ...{ clock, journal, database },
    file: path.join(folder.path, 'search.db'),
    onError: (error) => log.error({ error }, 'the index of what is on record could not be kept'),
  });
  const search = new Search({ clock, database, random, index });
  const accounts = new Accounts({ database, random });
  const hosts = new HostRule(config);
  const rateLimit = config.rateLimit === undefined ? undefined : new RateLimit(clock, config.rateLimit);

  const places = { dataFolder: folder.path, scratch: folder.temporary, durable, random };
  const files = new Files({
    folder: new FileFolder(places),
    db: database,
    clock,
    maxDisk: config.maxDisk,
  });
  const objects = new Objects({ db: database, random, files });

  const workers = Math.max(1, Math.min(MOST_WORKERS, availableParallelism() - 1));
  const own = createRenderer({
    clock,
    workers,
    scratchFolder: folder.temporary,
    ffmpegPath: config.ffmpeg,
  });
  const renderer = renders?.around(own) ?? own;
  const render = renderer.render.bind(renderer);
  const served = new ServedFiles({ db: database, clock, files, render });
  const isOwnUrl = (url: URL) => url.pathname.startsWith('/cdn/') && hosts.isOwn(url);
  const readOwn = (url: URL) => served.read(served.find(url.pathname, url.search.slice(1)).file);
  const probe = (bytes: Buffer) => ({ contentType: `image/${probePicture(bytes).format}` });
  const references = new References({
    db: database,
    files,
    isOwnUrl,
    readOwn,
    probePicture: probe,
    probeVoice: (bytes: Buffer) => ({ contentType: AUDIO_TYPE[probeAudio(bytes).format] }),
  });
  const elements = new Elements({ db: database, random, files, references });

  const { strict, forward: forwards, mediaSize } = config;
  const onError = (error: unknown) => log.error({ error }, 'a delivery could not be recorded');
  const door = new OwnDoor(config);
  const holds = new Holds({ clock, random });
  const webhooks = new Webhooks({ database, clock, random, strict, forwards, onError, die, own: door, holds });

  const settleAfter = config.settleAfter * 1000;
  const settlement = new Settlement({ database, clock, random, objects, webhooks, accounts, die });
  // Of each worker the one at work and the next, and two more whose files are being written and settled.
  const limit = 2 * workers + 2;
  const unanswered = new UnansweredCalls({ database, random });
  const making = { database, clock, files, renderer, settlement, unanswered, settleAfter, limit, die, mediaSize };
  const desk = new RenderDesk(making);
  const budgets = new Budgets(database);
  const road = new Road({ database, random, budgets });
  const scripts = { folder: config.fixtures, only: config.fixturesOnly };
  const fixtures = new Fixtures({ database, random, clock, files, catalogue, log, ...scripts });

  const notices = new Notices();
  const live = new LiveFeed({ clock, journal, notices });
  const tell = ({ id }: Message) => notices.tell({ kind: 'message', id, accountId: null });
  holds.onMessage = ({ id, accountId }) => notices.tell({ kind: 'hold', id, accountId });
  const inbox = new Inbox({ db: database, clock, random, tell });
  webhooks.observe((change) => notices.tell(change));
  settlement.observe(({ id, accountId }) => notices.tell({ kind: 'job', id, accountId }));
  const faults = new FaultRules({ database, clock, random, profile, holds });

  const parts = {
    ...{
      config,
      clock,
      random,
      database,
      journal,
      record,
      search,
      sql,
      log,
      accounts,
      catalogue,
      hosts,
      rateLimit,
    },
    ...{
      files,
      objects,
      served,
      references,
      elements,
      webhooks,
      notices,
      live,
      renderer,
      settlement,
      desk,
      road,
      budgets,
      die,
      fixtures,
    },
    faults,
    ...{
      policy: new ContentPolicy(),
      completions: new CompletionWriter(createReplyWriter()),
      songwriter: new Songwriter(),
      unanswered,
      ownSound: new OwnSound({ database, files, ffmpegPath: config.ffmpeg }),
      inbox,
      gate: new Gate(clock),
      turns: new Turns(),
      startedAt: clock.real(),
    },
  };
  const onBug = (error: unknown) => log.error({ error }, 'a run of a flow could not go on');
  const flows = new Flows({ ...parts, kinds: stepKinds(parts), onError: onBug });
  flows.observe(({ id, accountId }) => notices.tell({ kind: 'run', id, accountId }));
  return { ...parts, flows, demo: new Demo(parts) };
}
