import type { VirtualClock } from '../../base/clock/clock.ts';
import { type Config, readConfig } from '../../base/config/config.ts';
import type { InProcessCall } from '../../service/http/in-process-calls.ts';
import { KNOWN } from './known-words.ts';
import { Measurement } from './measure.ts';
import { FREE, PAID } from './plan.ts';
import { HOOK_HOST, type PlannedCase } from './planned-case.ts';
import type { RecordedCall } from './recorded-calls.ts';
import { type FinishJob, Replay, type ReplayedCall } from './replay.ts';
import { Sender, type Target } from './send-request.ts';
import type { CaseShape } from './shapes.ts';

/** What is used of an emulator that is asked and closed. */
export interface FreshEmulator {
  url: string;
  control: InProcessCall;
  close(): Promise<void>;
}

/** How a fresh emulator is started and asked. */
export interface Fresh {
  start(config: Config): Promise<FreshEmulator>;
  /** The key of its first account. */
  key: string;
  clock: VirtualClock;
  /** As the service was asked. */
  name: string;
  signal: AbortSignal;
}

/** Credits for any recording. */
const PLENTY = 1_000_000_000;
/** An answer of the emulator on this machine takes no longer, in milliseconds. */
const LONGEST_ANSWER = 120_000;

/** Starts a fresh emulator, asks it, and closes it. */
async function withEmulator<Answer>(
  { start, key, clock, signal }: Fresh,
  ask: (emulator: FreshEmulator, target: Target) => Promise<Answer>,
): Promise<Answer> {
  // A forwarded host is not resolved: nothing leaves this machine.
  const forward = [`https://${HOOK_HOST}=http://127.0.0.1:9`];
  const quiet = { log: 'silent', settleAfter: 0, warm: false } as const;
  const settled = { port: 0, host: '127.0.0.1', ephemeral: true, credits: PLENTY, forward, ...quiet };
  const emulator = await start(readConfig(settled, {}));
  try {
    const target = { url: emulator.url, key, paceMs: 0, timeoutMs: LONGEST_ANSWER, clock, signal };
    return await ask(emulator, target);
  } finally {
    await emulator.close();
  }
}

/** Asks a fresh emulator what a service was asked, by the names of the cases. */
export async function measureHere(there: readonly CaseShape[], fresh: Fresh): Promise<Map<string, CaseShape>> {
  if (there.every(({ shape }) => shape === undefined)) return new Map();
  const failed = failedJobs(there);
  const [rest = [], ...slow] = partsOf(askedFor(there));
  return withEmulator(fresh, async ({ control }, target) => {
    const onJob = async (orderedBy: string, jobId: string) => {
      const code = failed.get(orderedBy);
      if (code === undefined) return;
      await control('POST', `/_emulator/jobs/${jobId}/finish`, { body: { outcome: 'failed', code } });
    };
    const untilFinal = (jobId: string) => {
      const final = control('GET', '/_emulator/wait', { query: { for: `job:${jobId}`, timeout: 5 } });
      // One that is not final by then is read, and waited for again.
      return final.catch(() => undefined);
    };
    const measured = async (part: readonly string[], key: string) => {
      const only = new Set([...FIRST, ...part]);
      const order = { budget: Number.MAX_SAFE_INTEGER, name: fresh.name, only, onJob, untilFinal };
      return (await new Measurement({ ...target, key }, order).measure()).cases;
    };
    // Side by side, what renders first; each has an account of its own, as its prices are compared with its balance.
    const cases = await Promise.all([
      ...slow.map(async (part) => {
        const opened = await control('POST', '/_emulator/accounts', { body: { credits: PLENTY } });
        return measured(part, String(Object(opened).api_key));
      }),
      measured(rest, target.key),
    ]);
    return new Map(cases.flat().map((each) => [each.id, each]));
  });
}

/** What each measurement begins with. */
const FIRST = ['getAccount read', 'listModels read'];

/** What is quick, and then each group that waits for a render. */
function partsOf(chosen: ReadonlySet<string>): string[][] {
  const idsOf = (group: readonly PlannedCase[]) => group.flatMap(({ id }) => (chosen.has(id) ? [id] : []));
  const slow = PAID.filter((group) => group.some(({ media }) => media !== undefined)).map(idsOf);
  const rest = [...chosen].filter((id) => !slow.flat().includes(id));
  return [rest, ...slow.filter((ids) => ids.length > 0)];
}

/** Asks a fresh emulator what a recording has, one call after another. */
export async function replayHere(calls: readonly RecordedCall[], fresh: Fresh): Promise<ReplayedCall[]> {
  return withEmulator(fresh, async ({ control }, target) => {
    // A job stays open until it is ended as the recorded one was.
    await control('PUT', '/_emulator/progression', { body: { mode: 'polls', value: 1_000_000 } });
    // No endpoint of the recording hears of what is done again.
    await control('POST', '/_emulator/faults', { body: { match: {}, times: 0, effect: { webhook: 'drop' } } });
    const finish: FinishJob = (id, body) => control('POST', `/_emulator/jobs/${id}/finish`, { body });
    const replay = new Replay(new Sender(target), finish);
    const replayed: ReplayedCall[] = [];
    for (const call of calls) replayed.push(await replay.call(call));
    return replayed;
  });
}

/** The cases that were measured there, and what they need. */
function askedFor(there: readonly CaseShape[]): Set<string> {
  const chosen = new Set(FIRST);
  const measured = new Set(there.flatMap(({ id, shape }) => (shape ? [id] : [])));
  for (const each of [...FREE, ...PAID.flat()].toReversed()) {
    if (!measured.has(each.id) && !chosen.has(each.id)) continue;
    chosen.add(each.id);
    if (each.needs !== undefined) chosen.add(each.needs);
    // What is listed are all three.
    if (each.makes === 'webhook') for (const nth of ['first', 'second']) chosen.add(`createWebhook ${nth}`);
  }
  return chosen;
}

/** Orders whose job has failed there, with the code of its error: the emulator's is to fail as well. */
function failedJobs(there: readonly CaseShape[]): Map<string, string> {
  const failed = there.filter(({ shape }) => shape?.fields.status?.words?.includes('failed'));
  return new Map(
    failed.map(({ operation, shape }) => {
      const [word = 'render_failed'] = shape?.fields['error.code']?.words ?? [];
      // What it is called there is not on record: here it is no word of the contract either.
      const code = KNOWN.words.has(word) ? word : 'other_failure';
      return [`${operation.replace('get', 'create')} orders`, code];
    }),
  );
}
