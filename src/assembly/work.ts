import type { Config } from '../config/config.ts';
import { FaultRules } from '../faults/fault-rules.ts';
import { Holds } from '../faults/holds/holds.ts';
import { LatencyProfile } from '../faults/latency-profile.ts';
import { readProfile } from '../faults/profile-file.ts';
import type { CrashHook } from '../faults/struck.ts';
import { Fixtures } from '../fixtures/fixtures.ts';
import { JobProcessor } from '../generation/job-processor.ts';
import { OwnSound } from '../generation/own-sound.ts';
import { Pipeline } from '../generation/pipeline.ts';
import { Settlement } from '../generation/settlement.ts';
import { UnansweredCalls } from '../generation/unanswered-calls.ts';
import { Budgets } from '../ledger/budgets.ts';
import type { Log } from '../log/log.ts';
import { SelfUrlGuard } from '../webhooks/self-url-guard.ts';
import { UrlGuard } from '../webhooks/url-guard.ts';
import { Webhooks } from '../webhooks/webhooks.ts';
import type { Ground } from './ground.ts';
import type { Store } from './store.ts';
import { workerCount } from './worker-count.ts';

/** Who starts the emulator, and what it does beside serving. */
interface Setting {
  config: Config;
  log: Log;
  crashHook: CrashHook | undefined;
}

/** What is done for money, struck by faults, scripted, and told to others. */
export function setUpWork({ config, log, crashHook }: Setting, ground: Ground, { files, objects, renderer }: Store) {
  const { clock, random, database, catalogue, accounts } = ground;
  const holds = new Holds({ clock, random });
  const selfUrlGuard = new SelfUrlGuard(config);
  const guard = new UrlGuard({ clock, strict: config.strict, forwards: config.forward, own: selfUrlGuard });
  const webhooks = new Webhooks({
    database,
    clock,
    random,
    guard,
    holds,
    crashHook,
    onError: (error: unknown) => log.error({ error }, 'a delivery could not be recorded'),
  });
  const settlement = new Settlement({ database, clock, random, objects, webhooks, accounts, crashHook });
  const unanswered = new UnansweredCalls({ database, random });
  const processor = new JobProcessor({
    database,
    clock,
    files,
    renderer,
    settlement,
    unanswered,
    mediaSize: config.mediaSize,
    limits: {
      settleAfter: config.settleAfter * 1000,
      // Of each worker the one at work and the next, and two more whose files are being written and settled.
      atOnce: 2 * workerCount() + 2,
    },
  });
  const budgets = new Budgets(database);
  const pipeline = new Pipeline({ database, random, budgets });
  const scripts = { folder: config.fixtures, only: config.fixturesOnly };
  const fixtures = new Fixtures({ database, random, clock, files, catalogue, log, ...scripts });
  const faults = new FaultRules({ database, clock, random, profile: profileOf(config, ground), holds });
  const ownSound = new OwnSound({ database, files, ffmpegPath: config.ffmpeg });
  return { selfUrlGuard, webhooks, settlement, processor, budgets, pipeline, fixtures, faults, unanswered, ownSound };
}

function profileOf({ profile }: Config, { catalogue, random }: Ground): LatencyProfile | undefined {
  if (profile === undefined) return undefined;
  const isModel = (id: string) => catalogue.kindOf(id) !== undefined;
  return new LatencyProfile(readProfile(profile, isModel), random);
}
