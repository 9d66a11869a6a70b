import { z } from 'zod';
import type { ControlConnection, Query } from '../client/control-connection.ts';

/** One request to the control surface, told for an assistant. */
export interface EmulatorTool {
  name: string;
  description: string;
  input: z.ZodRawShape;
  isReadOnly?: true;
  call(control: ControlConnection, given: Record<string, unknown>): Promise<unknown>;
}

const account = z.string().describe('the id of an account, as create_account answers it');
const limit = z.int().min(1).max(1000).optional().describe('how many, newest first; 50 by default');
const MANY = 50;

/** The values that are part of a query, with a limit. */
function paged(given: Record<string, unknown>): Query {
  return { limit: MANY, ...(given as Query) };
}

/** What stands in a path. */
function part(value: unknown): string {
  return encodeURIComponent(String(value));
}

const MONEY: EmulatorTool[] = [
  {
    name: 'create_account',
    description:
      'Opens an account with an API key of its own. Use one for each test: no test sees what another one does.',
    input: {
      name: z.string().max(200).optional().describe('what it is for, such as the name of a test'),
      plan: z.enum(['payg', 'hobby', 'creator', 'studio']).optional(),
      credits: z.int().min(0).optional().describe('the balance to begin with; 50 by default'),
    },
    call: (control, given) => control.post('/accounts', given),
  },
  {
    name: 'list_accounts',
    description: 'Accounts with their balance, plan and role, newest first.',
    input: { limit },
    isReadOnly: true,
    call: (control, given) => control.get('/accounts', paged(given)),
  },
  {
    name: 'top_up',
    description: 'Gives an account credits.',
    input: { account_id: account, amount: z.int().min(1) },
    call: (control, { account_id: id, amount }) => control.post(`/accounts/${part(id)}/credits`, { amount }),
  },
  {
    name: 'read_ledger',
    description:
      'Every movement of credits of an account, newest first: charges are negative, a refund names its charge. An entry that should not be there is a bug of the client.',
    input: { account_id: account, limit },
    isReadOnly: true,
    call: (control, { account_id: id, ...page }) => control.get(`/accounts/${part(id)}/usage`, paged(page)),
  },
];

const TIME: EmulatorTool[] = [
  {
    name: 'read_clock',
    description: "The emulator's time, and whether it stands still.",
    input: {},
    isReadOnly: true,
    call: (control) => control.get('/clock'),
  },
  {
    name: 'advance_clock',
    description:
      'Moves the clock forward and answers when all that fell due has settled. URLs expire, jobs by seconds end. It moves for everybody.',
    input: { seconds: z.number().min(0) },
    call: (control, given) => control.post('/clock/advance', given),
  },
  {
    name: 'wait_for',
    description:
      'Waits without polling until a thing is so: job:ID, run:ID (final), event:TYPE, delivery:TYPE, or idle. Answers at once when it already is.',
    input: {
      for: z.string().describe('such as job:job_1a2b, delivery:music.generation.succeeded or idle'),
      account_id: account.optional(),
      timeout: z.number().min(0).max(60).optional().describe('seconds; 10 by default'),
      after: z.string().optional().describe('an event or delivery id: what came up to it does not count'),
    },
    isReadOnly: true,
    call: (control, given) => control.get('/wait', given as Query),
  },
];

const FAILURE: EmulatorTool[] = [
  {
    name: 'add_fault',
    description:
      'Makes requests fail on purpose. The first rule that matches strikes, once unless times says otherwise (0: until it is removed). effect is one of {"status": 429, "retry_after": 2}, {"delay_ms": 500}, {"drop": true}, {"fail_job": "render_failed"}, {"stream": {"cut_after": 3}}, {"webhook": "duplicate"} (or late, reorder, bad_signature, old_timestamp, drop).',
    input: {
      match: z
        .object({
          path: z.string().optional().describe('the beginning of the path, such as /v1/music'),
          model: z.string().optional(),
          contains: z.string().optional().describe('a piece of a text of the request'),
          account_id: account.optional(),
        })
        .optional(),
      times: z.int().min(0).optional(),
      probability: z.number().min(0).max(1).optional(),
      effect: z.record(z.string(), z.unknown()),
    },
    call: (control, given) => control.post('/faults', given),
  },
  {
    name: 'list_faults',
    description: 'Fault rules with how often each has struck.',
    input: { account_id: account.optional(), limit },
    isReadOnly: true,
    call: (control, given) => control.get('/faults', paged(given)),
  },
  {
    name: 'remove_faults',
    description: 'Removes one fault rule, those of an account, or all.',
    input: { id: z.string().optional(), account_id: account.optional() },
    call: (control, { id, ...query }) =>
      id === undefined ? control.delete('/faults', query as Query) : control.delete(`/faults/${part(id)}`),
  },
];

const STORY: EmulatorTool[] = [
  {
    name: 'list_requests',
    description:
      'What clients have asked and what they got, newest first, keys redacted: status, credits, jobs, bodies, retry count.',
    input: { account_id: account.optional(), limit },
    isReadOnly: true,
    call: (control, given) => control.get('/requests', paged(given)),
  },
  {
    name: 'explain_request',
    description:
      'What became of one request, step by step: price, charge, job, events, deliveries, and the rules that did or did not apply. The id is the x-request-id of its answer.',
    input: { request_id: z.string() },
    isReadOnly: true,
    call: (control, { request_id: id }) => control.get(`/explain/${part(id)}`),
  },
  {
    name: 'list_jobs',
    description: 'Renders and how they stand, newest first; looking settles nothing.',
    input: { account_id: account.optional(), limit },
    isReadOnly: true,
    call: (control, given) => control.get('/jobs', paged(given)),
  },
  {
    name: 'list_deliveries',
    description: 'Webhook deliveries and what the receivers answered, newest first.',
    input: { account_id: account.optional(), limit },
    isReadOnly: true,
    call: (control, given) => control.get('/deliveries', paged(given)),
  },
  {
    name: 'redeliver',
    description: 'Sends a webhook delivery once more: the same id and bytes under a new signature time.',
    input: { delivery_id: z.string() },
    call: (control, { delivery_id: id }) => control.post(`/deliveries/${part(id)}/redeliver`),
  },
];

/** Every tool, in the order in which they are listed. */
export const EMULATOR_TOOLS: readonly EmulatorTool[] = [...MONEY, ...TIME, ...FAILURE, ...STORY];
