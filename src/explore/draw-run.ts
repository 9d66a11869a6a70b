import { type Bar, LANES, type LaneKind, lengthText, scaleOf, type TimelineEvent } from '../orders/timeline-event.ts';
import type { DeliveryRow, JobRow, RequestRow } from '../runs/run-record.ts';
import type { Run } from '../runs/runner.ts';
import type { RunDrawing, RunPair, SignedBar } from '../trace/report-file.ts';
import type { Schedule } from './schedule.ts';
import { requestName, type Step } from './step.ts';

/** Lines of a run that are compared; later ones add nothing. */
const MOST = 200;

/** Two trails side by side: the longest row of steps that both have in the same order is laid level. */
export function pairTrails(failing: readonly string[], undisturbed: readonly string[]): RunPair[] {
  const [did, should] = [stepsOf(failing), stepsOf(undisturbed)];
  const common = commonLengths(did, should);
  const pairs: RunPair[] = [];
  let [left, right] = [0, 0];
  while (left < did.length || right < should.length) {
    const [one, other] = [did[left], should[right]];
    if (one !== undefined && one === other) {
      pairs.push({ did: one, should: other });
      left += 1;
      right += 1;
      continue;
    }
    const isOwn =
      other === undefined || (one !== undefined && at(common, left + 1, right) >= at(common, left, right + 1));
    pairs.push(isOwn ? { did: one, should: undefined } : { did: undefined, should: other });
    if (isOwn) left += 1;
    else right += 1;
  }
  return joined(pairs);
}

/** What each did without its time, which is never the same; of reads that repeat one is enough. */
function stepsOf(trail: readonly string[]): string[] {
  const steps = trail.map((line) => line.replace(/^\s*\S+(?: ms)?\s+/, ''));
  return steps.filter((step, at) => step !== steps[at - 1]).slice(0, MOST);
}

/** How many steps both have in common from each position on. */
function commonLengths(did: readonly string[], should: readonly string[]): number[][] {
  const lengths = Array.from({ length: did.length + 1 }, () => new Array<number>(should.length + 1).fill(0));
  for (let left = did.length - 1; left >= 0; left -= 1) {
    for (let right = should.length - 1; right >= 0; right -= 1) {
      const own = lengths[left] ?? [];
      const isSame = did[left] === should[right];
      own[right] = isSame
        ? at(lengths, left + 1, right + 1) + 1
        : Math.max(at(lengths, left + 1, right), at(lengths, left, right + 1));
    }
  }
  return lengths;
}

/** What only one had and what only the other had at the same position are paired. */
function joined(pairs: readonly RunPair[]): RunPair[] {
  const rows: RunPair[] = [];
  for (const pair of pairs) {
    const open = rows.findLastIndex(({ did, should }) => did === should) + 1;
    const partner = rows.findIndex(
      (row, at) => at >= open && (pair.did === undefined ? row.should === undefined : row.did === undefined),
    );
    const row = rows[partner];
    if (row && (pair.did === undefined || pair.should === undefined)) {
      rows[partner] = { did: row.did ?? pair.did, should: row.should ?? pair.should };
    } else rows.push(pair);
  }
  return rows;
}

function at(lengths: readonly (readonly number[])[], left: number, right: number): number {
  return lengths[left]?.[right] ?? 0;
}

interface Line {
  at: number;
  text: string;
}

/** What happened in a run, in the order of time, a line each: requests with their answers, deliveries with theirs. */
export function trailOf({ record, began }: Pick<Run, 'record' | 'began'>): string[] {
  const requests = record.requests.map(
    ({ received_at, method, path, status, credits, cut, retry_count }): Line => ({
      at: Date.parse(received_at),
      text: `${requestName({ method, path })} -> ${answerText(status, cut)}${credits ? `, ${credits} credits` : ''}${retry_count ? `, retry ${retry_count}` : ''}`,
    }),
  );
  const deliveries = record.deliveries.map(
    ({ attempted_at, type, fault, response_status, error }): Line => ({
      at: attempted_at === null ? Number.POSITIVE_INFINITY : Date.parse(attempted_at),
      text: `delivery ${type}${fault ? ` (${fault})` : ''} -> ${response_status ?? error ?? 'never sent'}`,
    }),
  );
  return [...requests, ...deliveries]
    .sort((a, b) => a.at - b.at)
    .map(({ at, text }) =>
      Number.isFinite(at)
        ? `${String(Math.max(0, Math.round(at - began))).padStart(6)} ms  ${text}`
        : `       -   ${text}`,
    );
}

function answerText(status: number, cut: boolean | undefined): string {
  if (status === 0) return 'connection reset';
  return cut ? `${status}, but the connection was over before the answer was` : String(status);
}

/** A message or a job, with the ids by which the schedule may mean it. */
interface Drawn {
  lane: LaneKind;
  track: string;
  label: string;
  id: string;
  bar: Omit<Bar, 'step'>;
}

/** Draws a run: what the client asked, what was made, what it cost, what was delivered. */
export function drawRun(run: Run, schedule: Schedule, steps: readonly Step[]): RunDrawing {
  const { record } = run;
  const jobs = record.jobs.flatMap((job) => jobOf(job, run));
  const drawn = [
    ...record.requests.map(requestOf),
    ...jobs,
    ...moneyOf(run, jobs),
    ...record.deliveries.flatMap(deliveryOf),
  ];
  const began = Math.min(...drawn.map(({ bar }) => bar.from));
  const signs = signsOf(run, schedule, steps);
  const lanes = LANES.flatMap((kind) => {
    const own = drawn.filter(({ lane }) => lane === kind);
    const names = new Map(own.map(({ track, label }) => [track, label]));
    const tracks = [...names].map(([id, label]) => ({
      ...{ id, label },
      bars: own.filter(({ track }) => track === id).map((each) => signed(each, signs.get(each.id), began)),
    }));
    return tracks.length === 0 ? [] : [{ kind, tracks }];
  });
  return { lanes, scale: scaleOf(drawn.map(eventOf), began) };
}

function signed({ id, bar }: Drawn, sign: number | undefined, began: number): SignedBar {
  const to = bar.to === null ? null : bar.to - began;
  return { ...bar, step: id, from: bar.from - began, to, sign, tone: sign === undefined ? bar.tone : 'wait' };
}

function eventOf({ id, lane, track, label, bar }: Drawn): TimelineEvent {
  const step = { id, kind: 'read', at: bar.from, took: null, tone: bar.tone, text: bar.text, refs: [] } as const;
  return { step, track: { lane, id: track, label }, bars: [{ ...bar, step: id }] };
}

function requestOf(request: RequestRow): Drawn {
  const { id, method, path, status, received_at, duration_ms, cut } = request;
  const from = Date.parse(received_at);
  const isLost = status === 0 || cut === true;
  const name = path.startsWith('/cdn/') ? 'GET /cdn' : requestName(request);
  const words = (name.split(' ')[1] ?? '').split('/').filter((part) => part !== '' && part !== '{id}');
  return {
    ...{ lane: 'client', track: name, label: `${method} ${words.at(-1) ?? ''}`, id },
    bar: {
      ...{ from, to: from + duration_ms, look: 'call', tone: isLost || status >= 400 ? 'bad' : 'work' },
      ...{ text: `${method} ${lengthText(duration_ms)}`, note: isLost ? 'no answer' : String(status) },
    },
  };
}

/** From the answer to its order until its event, or the end of the run. */
function jobOf({ id, status, take }: JobRow, { record, ended }: Run): Drawn[] {
  const order = record.requests.find(({ job_ids: ids }) => ids.includes(id));
  if (!order) return [];
  const from = Date.parse(order.received_at);
  const heard = record.deliveries.find(({ subject, attempted_at: at }) => subject === id && at);
  const to = heard?.attempted_at ? Date.parse(heard.attempted_at) : Math.max(from + 1, lastOf(record.requests, ended));
  const tone: Bar['tone'] = status === 'failed' ? 'bad' : 'good';
  const label = take === undefined ? 'job' : `take ${take}`;
  const bar = { from, to: Math.max(from + 1, to), look: 'rendering', tone, text: status, note: '' } as const;
  return [{ lane: 'jobs', track: id, label, id, bar }];
}

function lastOf(requests: readonly RequestRow[], ended: number): number {
  const last = Math.max(...requests.map(({ received_at, duration_ms }) => Date.parse(received_at) + duration_ms));
  return Math.min(last, ended);
}

/** A charge is shown at the answer to its order, a refund at the end of its job. */
function moneyOf({ record }: Run, jobs: readonly Drawn[]): Drawn[] {
  const mark = { look: 'money', note: '' } as const;
  const charges = record.requests.flatMap(({ id, received_at, duration_ms, credits }): Drawn[] => {
    const at = Date.parse(received_at) + duration_ms;
    if (!credits) return [];
    const bar = { ...mark, from: at, to: at, tone: 'plain' as const, text: `−${credits}` };
    return [{ lane: 'money', track: 'money', label: '', id: `${id} paid`, bar }];
  });
  const refunds = record.ledger.flatMap(({ type, amount, job_id: job }): Drawn[] => {
    const at = jobs.find(({ id }) => id === job)?.bar.to;
    if (type !== 'refund' || at === undefined || at === null) return [];
    const bar = { ...mark, from: at, to: at, tone: 'good' as const, text: `+${amount} back` };
    return [{ lane: 'money', track: 'money', label: '', id: `${job} back`, bar }];
  });
  return [...charges, ...refunds];
}

function deliveryOf(delivery: DeliveryRow): Drawn[] {
  const { id, event_id, endpoint_id, type, fault, attempted_at, duration_ms, response_status, error } = delivery;
  if (attempted_at === null) return [];
  const from = Date.parse(attempted_at);
  const isTaken = response_status !== null && response_status >= 200 && response_status < 300;
  const came = String(response_status ?? error ?? 'no answer');
  return [
    {
      ...{ lane: 'deliveries', track: `${event_id} ${endpoint_id}`, label: type.split('.').at(-1) ?? type, id },
      bar: {
        ...{ from, to: from + (duration_ms ?? 0), look: 'delivery', tone: isTaken ? 'good' : 'bad' },
        ...{ text: lengthText(duration_ms ?? 0), note: fault ? `${fault}: ${came}` : came },
      },
    },
  ];
}

/** The number of the entry that is at work in a message or a job, by its id. */
function signsOf({ record }: Run, schedule: Schedule, steps: readonly Step[]): Map<string, number> {
  const signs = schedule.map(({ step, deviation }, at): [string, number] => {
    const ref = steps.find(({ name }) => name === step)?.ref;
    const [, take] = /^take_fails:(\d+)$/.exec(deviation) ?? [];
    const failing = steps.find(({ name }) => name === `${step} take ${take}`)?.ref;
    const event = record.deliveries.find(({ id }) => id === ref)?.event_id;
    // What a rule has added is what is unusual about it.
    const added = record.deliveries.find(
      ({ fault, event_id: own }) => fault === deviation && (step === 'endpoint' || own === event),
    );
    return [added?.id ?? failing ?? ref ?? '', at + 1];
  });
  return new Map(signs);
}
