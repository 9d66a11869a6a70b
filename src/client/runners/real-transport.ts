import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import { pause } from '../../base/clock/waits.ts';
import type { Transport, TransportInput } from '../../control/call-operation.ts';
import { ControlError } from '../../control/control-connection.ts';
import { accountOf, type CallService } from '../../control/real-service.ts';

/** Ends the test that runs as skipped. */
export type Skip = (reason: string) => never;

/** The one account that there is. */
const ACCOUNT = 'acct_real';
/** How long a wait may take, and how often is looked, in milliseconds: a render of the service takes minutes. */
const LONGEST = 900_000;
const PAUSE = 1000;
/** The credits of the fixture's own account: fewer are asked for by tests of an account that runs out. */
const ENOUGH = 1000;
/** A balance is at rest once it was the same so often. */
const SAME = 3;

/** What a test does that the service has no door for, by the path of the control surface. */
const ONLY_HERE: readonly (readonly [RegExp, string])[] = [
  [/^\/clock/, 'it moves or reads the emulator’s clock'],
  [/^\/faults/, 'it sets fault rules'],
  [/^\/holds/, 'it holds messages'],
  [/^\/progression|^\/jobs\/[^/]+\/(?:finish|settle)/, 'it sets how jobs progress'],
  [/^\/snapshots|^\/reset/, 'it keeps or restores the state'],
  [/^\/inbox/, 'it receives webhooks, which reach no receiver of this machine'],
  [/^\/fixtures/, 'it scripts answers'],
  [/^\/accounts\/[^/]+\/usage/, 'it reads the ledger'],
];

/**
 * The part of the control surface that the service itself can answer: its one account, its balance, and waits, which poll.
 * Everything else ends the test as skipped, with the reason.
 */
export function realTransport(call: CallService, key: string, skip: Skip): Transport {
  return async (method, path, input = {}) => {
    const where = path.replace(/^\/_emulator/, '');
    if (method === 'POST' && where === '/accounts') return opened(call, key, { input, skip });
    if (method === 'GET' && where === `/accounts/${ACCOUNT}`) return { id: ACCOUNT, ...(await accountOf(call)) };
    if (where === '/wait') return waited(call, input, skip);
    const [, what = `it calls the control surface (${method} ${path})`] =
      ONLY_HERE.find(([pattern]) => pattern.test(where)) ?? [];
    return skip(reasonOf(what));
  };
}

export function reasonOf(what: string): string {
  return `not on the real service (SVC_TARGET=real): ${what}`;
}

/** The account of the key, where a test asks for nothing that it is not. */
async function opened(
  call: CallService,
  key: string,
  { input, skip }: { input: TransportInput; skip: Skip },
): Promise<object> {
  const order = Object(input.body) as { credits?: number; plan?: string; role?: string; workspace_id?: string };
  const { credits = ENOUGH, plan, role, workspace_id } = order;
  if (role !== undefined || workspace_id !== undefined) skip(reasonOf('it wants an account with a role of its own'));
  const account = await accountOf(call);
  if (credits < ENOUGH) skip(reasonOf(`it wants an account of ${credits} credits alone`));
  if (credits > ENOUGH && credits > account.credits) {
    skip(reasonOf(`it wants ${credits} credits, and the account has ${account.credits}`));
  }
  if (plan !== undefined && plan !== 'studio') skip(reasonOf(`it wants the plan ${plan}`));
  return { id: ACCOUNT, workspace_id: 'wsp_real', api_key: key, ...account };
}

async function waited(call: CallService, { query = {} }: TransportInput, skip: Skip): Promise<object> {
  const what = String(query.for);
  const [kind = '', id = ''] = what.split(/:(.*)/s);
  if (kind === 'job') return { for: what, ...(await finalJob(call, id)) };
  if (kind !== 'idle') skip(reasonOf(`it waits for what the emulator alone reports (${kind})`));
  await restingBalance(call);
  return { for: what };
}

/** Answers of the service by which it is seen that a job goes on. */
const UNDER_WAY = ['queued', 'pending', 'processing', 'in_progress', 'running'];

/** A job once it is final, a clip or else a song. Rejects with `timeout` after a quarter of an hour. */
async function finalJob(call: CallService, id: string): Promise<object> {
  const read = (medium: string) => call(`/v1/${medium}/generations/${encodeURIComponent(id)}`);
  const medium = await read('videos').then(
    () => 'videos',
    (error: unknown) => {
      if (error instanceof ControlError && error.status === 404) return 'music';
      throw error;
    },
  );
  return pollUntil(`the job ${id}`, async () => {
    const job = (await read(medium)) as { id: string; status: string };
    return UNDER_WAY.includes(job.status) ? undefined : job;
  });
}

/** Until the balance moves no more. */
async function restingBalance(call: CallService): Promise<void> {
  let [last, same] = [Number.NaN, 0];
  await pollUntil('a balance at rest', async () => {
    const { credits } = await accountOf(call);
    same = credits === last ? same + 1 : 1;
    last = credits;
    return same >= SAME ? true : undefined;
  });
}

/** Looks once a second until there is something. Rejects with `timeout` after a quarter of an hour. */
async function pollUntil<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const clock = new VirtualClock();
  for (let waited = 0; waited < LONGEST; waited += PAUSE) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(clock, PAUSE);
  }
  const message = `${what} did not come within ${LONGEST / 60_000} minutes.`;
  throw new ControlError(408, { code: 'timeout', message, param: null });
}
