import { expect, it } from 'vitest';
import type { SpawnedProgram } from '../cli/spawned-program.ts';
import { callHook, makeFlow, RUN_EVENTS, type Step } from '../support/flow-rig.ts';
import { startLife } from '../support/lives.ts';
import { type Receiver, subscribe } from '../support/receiver.ts';
import { type TestAccount, world } from '../support/world.ts';
import { numbers } from './mixed-load.ts';

const STEPS: Step[] = [
  { type: 'text', params: { prompt: 'Tell of {{inputs.topic}}.' } },
  { type: 'image', params: { prompt: '{{inputs.topic}}{{inputs.fate}}' } },
  { type: 'post', params: { text: '{{steps.1.text}}', url: '{{steps.2.url}}' } },
  { type: 'speech', params: { input: '{{inputs.topic}}', voice: 'orion' } },
  { type: 'text', params: { prompt: '{{steps.3.text}}', model: 'svc-rp-mini' } },
];
/** The last two runs fail. Nobody clicks the run of `UNCLICKED`, so it never ends. */
const TOPICS = ['a pier', 'a mill', 'a well', 'a barn', 'a fair [[fail]]', 'a ruin'];
const FATES: Record<string, string> = { 'a ruin': ' [[fail]]' };
const UNCLICKED = 'a barn';

// biome-ignore lint/suspicious/noExplicitAny: runs are compared field by field
type Run = any;

it.each([101])(
  'continues flow runs after a SIGKILL with the same results and charges as without it, seed %i [I062 I080 R217]',
  killFlows,
  120_000,
);

/** Kills the program at a moment that the seed gives, restarts it, and compares its runs with undisturbed ones. */
async function killFlows(seed: number): Promise<void> {
  const first = await startLife(['--settle-after', '3600']);
  const ann = await first.here.account({ credits: 1000 });
  const { receiver } = await subscribe(ann, RUN_EVENTS);
  await begin(ann);
  await disturbUntilKilled(first.program, ann, numbers(seed));

  const second = await first.next();
  const again = ann.in(second.here);
  const survived = await finish(again);
  expect(survived).toEqual(await undisturbed());
  await expectToldOnce(again, receiver);
  expect(await second.here.invariants()).toMatchObject({ ok: true });
  await second.program.stop();
}

/** The results of the same runs without a kill. */
async function undisturbed() {
  const ann = await (await world()).account({ credits: 1000 });
  await begin(ann);
  return finish(ann);
}

async function begin(ann: TestAccount): Promise<void> {
  const flow = await makeFlow(ann, STEPS);
  for (const topic of TOPICS) {
    await callHook(ann, flow.hook_url, { topic, fate: FATES[topic] ?? '' });
  }
}

async function runsOf(ann: TestAccount): Promise<Run[]> {
  const { body } = await ann.world.control('GET', `/runs?account_id=${ann.id}`);
  return body.data.toReversed();
}

function waiting(runs: Run[]): Run[] {
  return runs.filter(({ status, inputs }) => status === 'waiting' && inputs.topic !== UNCLICKED);
}

function approve(ann: TestAccount, { id, inputs }: Run) {
  const body = { choice: 'approve', text: `Approved: ${inputs.topic}.` };
  return ann.world.control('POST', `/runs/${id}/click`, body);
}

/** Lists runs and sometimes approves one. After as many looks as the seed gives, it kills the program. */
async function disturbUntilKilled(program: SpawnedProgram, ann: TestAccount, random: Generator<number>): Promise<void> {
  const enough = random.next().value % 80;
  for (let looks = 0; looks < enough; looks += 1) {
    const [next] = waiting(await runsOf(ann));
    if (next && random.next().value % 3 === 0) await approve(ann, next);
  }
  // The kill comes while the program handles a last call.
  const last = runsOf(ann).catch(() => undefined);
  program.child.kill('SIGKILL');
  await Promise.all([last, program.ended()]);
}

/** Approves waiting runs until none is left. Returns the runs, the money and the balance. */
async function finish(ann: TestAccount) {
  for (let left = [{}] as Run[]; left.length > 0; left = waiting(await runsOf(ann))) {
    for (const run of left.filter(({ id }) => id)) await approve(ann, run);
    await ann.idle();
  }
  const runs = await runsOf(ann);
  const whole = await Promise.all(runs.map(async ({ id }) => (await ann.world.control('GET', `/runs/${id}`)).body));
  const moved = (await ann.entries()).map(({ type, amount }) => `${type} ${amount}`);
  return { runs: whole.map(comparable), money: moved.sort(), balance: await ann.balance() };
}

/** A run without what differs between two instances: ids, times and addresses. */
function comparable({ status, credits, inputs, failure, outputs, step, waiting: post }: Run) {
  const told = outputs.map(({ url, creationId, ...rest }: Run) => ({
    ...rest,
    isThere: [Boolean(url), Boolean(creationId)],
  }));
  return { status, credits, inputs, failure, step, outputs: told, waitsFor: post?.text };
}

/** Each run has at most one end event, and the receiver got each event at most once. */
async function expectToldOnce(ann: TestAccount, receiver: Receiver): Promise<void> {
  const envelopes = (await ann.envelopes()).filter(({ type }) => type.startsWith('flow.'));
  const told = envelopes.map(({ type, data }) => `${data.run.id} ${type}`);
  expect(new Set(told).size).toBe(told.length);
  expect(told.filter((each) => !each.endsWith('waiting'))).toHaveLength(TOPICS.length - 1);
  const ids = receiver.requests.map(({ body }) => JSON.parse(body).id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(envelopes.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
}
