import { z } from 'zod';
import { invalid } from '../base/errors.ts';
import {
  findProgression,
  MODES,
  type Mode,
  type Progression,
  type ProgressionInForce,
  removeProgression,
  writeProgression,
} from '../engine/jobs/progression-store.ts';
import { withReason } from '../service/http/field-list.ts';
import { optional } from '../service/http/input.ts';
import { operation } from '../service/http/operation.ts';
import { requireAccount } from './accounts.ts';
import { accountQuery } from './list-page.ts';

/** A hundred years, in seconds. */
const MOST_SECONDS = 3_200_000_000;
const MOST_POLLS = 1_000_000;

/** What is in force: `value` is seconds or polls; `account_id` is there where it is its own. */
const progressionRecord = z.strictObject({
  mode: z.enum(MODES),
  value: z.number().optional(),
  account_id: z.string().optional(),
});

export type ProgressionRecord = z.infer<typeof progressionRecord>;

const WHAT_VALUE: Record<Mode, string | undefined> = {
  render: undefined,
  manual: undefined,
  seconds: `a number of seconds from 0 to ${MOST_SECONDS}, by the emulator's clock`,
  polls: `a whole number of polls from 1 to ${MOST_POLLS}`,
};

export const getProgression = operation({
  name: 'getProgression',
  method: 'GET',
  path: '/_emulator/progression',
  summary: 'How jobs come to their end: those of an account, or all.',
  access: 'local',
  query: accountQuery,
  answer: progressionRecord,
  handle({ context, query }) {
    const { account_id: accountId } = query;
    if (accountId !== undefined) requireAccount(context, accountId);
    return viewOf(findProgression(context.database, accountId));
  },
});

export const setProgression = operation({
  name: 'setProgression',
  method: 'PUT',
  path: '/_emulator/progression',
  summary: 'Sets how jobs come to their end, those under way included.',
  access: 'local',
  body: z.object({
    mode: z.enum(MODES).nullable().describe("render, seconds, polls or manual; null takes an account's own away."),
    value: optional(z.number()).describe('a number: of seconds, or of polls.'),
    account_id: optional(z.string()).describe('the account whose jobs it is about; those of all others without it.'),
  }),
  answer: progressionRecord,
  async handle(call) {
    const { context, body } = call;
    const { mode, value, account_id: accountId } = body;
    if (accountId !== undefined) requireAccount(context, accountId);
    const wanted = mode === null ? null : progressionOf(mode, value);
    if (value !== undefined && (wanted === null || wanted.value === null)) {
      call.warn(withReason('value', `mode=${mode}`));
    }
    await context.database.transact((tx) => {
      if (wanted) writeProgression(tx, wanted, accountId);
      else if (accountId === undefined) throw nothingToRemove();
      else removeProgression(tx, accountId);
    });
    await context.settlement.replan(accountId);
    return viewOf(findProgression(context.database, accountId));
  },
});

/** Throws `invalid_request` for a mode that lacks its value. */
function progressionOf(mode: Mode, value: number | undefined): Progression {
  const what = WHAT_VALUE[mode];
  if (what === undefined) return { mode, value: null };
  const isFit =
    value !== undefined &&
    (mode === 'seconds'
      ? value >= 0 && value <= MOST_SECONDS
      : Number.isInteger(value) && value >= 1 && value <= MOST_POLLS);
  if (isFit) return { mode, value };
  const fault = value === undefined ? 'is missing' : `is ${value}`;
  throw invalid('value', `value ${fault}. The mode ${mode} takes: ${what}.`);
}

function nothingToRemove(): Error {
  return invalid(
    'mode',
    'mode is null, which takes away the progression of an account: name it with account_id, or set {"mode": "render"}, the way in which all jobs move at first.',
  );
}

function viewOf({ mode, value, accountId }: ProgressionInForce) {
  return {
    mode,
    ...(value === null ? {} : { value }),
    ...(accountId === undefined ? {} : { account_id: accountId }),
  };
}
