import { verifySignature } from '../../src/engine/webhooks/signature.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import type { Answer, Envelope, TestAccount } from './world.ts';

export interface Step {
  nodeId?: string;
  type: string;
  params?: Record<string, unknown>;
}

export const RUN_EVENTS = ['flow.run.succeeded', 'flow.run.failed', 'flow.run.waiting'];

export const TEXT: Step = { type: 'text', params: { prompt: 'Tell of {{inputs.topic}}.' } };
export const POST: Step = { type: 'post', params: { text: '{{steps.1.text}}' } };

/** Creates a flow in an account's workspace. Steps without a name are named a, b, c. */
export async function makeFlow(account: TestAccount, steps: Step[], more: object = {}) {
  const answer = await tryFlow(account, steps, more);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

export function tryFlow(account: TestAccount, steps: Step[], more: object = {}): Promise<Answer> {
  const named = steps.map((step, n) => ({ nodeId: 'abcdefghij'[n] ?? `n${n}`, ...step }));
  const order = { workspace_id: account.workspaceId, name: 'Daily post', steps: named, ...more };
  return account.world.control('POST', '/flows', order);
}

/** Calls the inbound address of a flow, and returns the id of the run. */
export async function callHook(account: TestAccount, url: string, inputs: object): Promise<string> {
  const answer = await account.world.call('POST', url, inputs);
  if (answer.status !== 202) throw new Error(JSON.stringify(answer.body));
  return answer.body.id;
}

/** Returns a run once it cannot continue by itself. */
export async function settledRun(account: TestAccount, id: string) {
  await account.world.advance(0);
  return (await account.world.control('GET', `/runs/${id}`)).body;
}

/** Starts a run and returns it once it cannot continue by itself. */
export async function runFlow(account: TestAccount, steps: Step[], inputs: object = {}) {
  const flow = await makeFlow(account, steps);
  return settledRun(account, await callHook(account, flow.hook_url, inputs));
}

/** A receiver of all run events. `told` verifies their signatures. */
export class RunReceiver {
  readonly receiver: Receiver;
  readonly #secret: string;

  private constructor(receiver: Receiver, secret: string) {
    this.receiver = receiver;
    this.#secret = secret;
  }

  static async of(account: TestAccount, more: object = {}): Promise<RunReceiver> {
    const receiver = await openReceiver();
    const order = { url: `${receiver.origin}/hook`, events: RUN_EVENTS, ...more };
    const { body } = await account.post('/webhooks', order);
    return new RunReceiver(receiver, body.secret);
  }

  /** The envelopes, once at least `count` have arrived. Rejects if a signature is invalid. */
  async told(count: number): Promise<Envelope[]> {
    const requests = await this.receiver.received(count);
    return requests.map(({ body, headers }) => {
      verifySignature({ payload: body, header: headers['svc-signature'], secret: this.#secret });
      return JSON.parse(body);
    });
  }
}
