import { nextId } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import { findNamed } from '../accounts/account-store.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { NewJob } from '../jobs/job.ts';
import { insertJob } from '../jobs/job-store.ts';
import type { Ending } from '../jobs/settlement.ts';
import { charge, topUp } from '../ledger/ledger.ts';

export interface MemberParts {
  random: Random;
  accounts: Accounts;
}

/** The name of the member whose orders the tested application never made. */
const MEMBER_NAME = 'Another member';

/**
 * The fault `foreign` [I237]: a paid job like this one, of another member of the workspace, with a seed of its own and a
 * readable result. For a job that fails there is none, as it has no result to read.
 */
export function memberEnding(
  parts: MemberParts,
  tx: Transaction,
  { job, outcome }: Ending<NewJob>,
): Ending<NewJob> | undefined {
  if ('error' in outcome) return undefined;
  const accountId = memberOf(parts, tx, job.workspaceId);
  const { credits, medium, model } = job;
  topUp(tx, parts.random, { accountId, amount: credits });
  const id = nextId(tx, parts.random, 'job', accountId);
  const order = { accountId, amount: credits, operation: `${medium}.generation`, model, jobId: id };
  const { n } = charge(tx, parts.random, order);
  const membersJob: NewJob = {
    ...job,
    id,
    accountId,
    requestId: null,
    charge: n,
    ...withOtherSeed(job),
    store: false,
    faults: { webhook: 'foreign' },
    status: 'processing',
    polls: 0,
  };
  return { job: membersJob, outcome, write: (final) => insertJob(tx, final) };
}

function memberOf({ accounts }: MemberParts, tx: Transaction, workspaceId: string): string {
  const known = findNamed(tx, workspaceId, MEMBER_NAME);
  if (known) return known.id;
  return accounts.openWithin(tx, { workspaceId, name: MEMBER_NAME, role: 'member', credits: 0 }).account.id;
}

/** Far from any seed chosen by hand, and from the seed next to it. */
const SEED_STEP = 1_000_003;
const MOST_SEED = 4_294_967_294;

function withOtherSeed({ seed, parameters }: NewJob): Pick<NewJob, 'seed' | 'parameters'> {
  if (seed === null) return { seed, parameters };
  const other = (seed + SEED_STEP) % MOST_SEED;
  return { seed: other, parameters: { ...parameters, seed: other } };
}
