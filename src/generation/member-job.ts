import { findNamed } from '../accounts/account-store.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { nextId } from '../database/sequence-store.ts';
import type { Transaction } from '../database/transaction.ts';
import type { NewJob } from '../jobs/job.ts';
import { insertJob } from '../jobs/job-store.ts';
import { charge, topUp } from '../ledger/ledger.ts';
import { type Ending, type FinalParts, makeFinal } from './final-job.ts';

export interface MemberJobParts extends FinalParts {
  accounts: Accounts;
}

/** Who orders what an application has never ordered: a member of its workspace like any other. */
const NAME = 'Another member';
/** Far enough from any seed that somebody chose by hand, and from the one beside it. */
const ANOTHER = 1_000_003;
const MOST_SEED = 4_294_967_294;

/** What is told of a job itself, once somebody else's has been told of where that is asked for. */
export function afterMemberJob<Open extends NewJob>(
  parts: MemberJobParts,
  tx: Transaction,
  ending: Ending<Open>,
): Ending<Open> {
  const { faults } = ending.job;
  if (faults?.webhook !== 'foreign') return ending;
  const { webhook: _foreign, ...own } = faults;
  orderForeign(parts, tx, ending);
  return { ...ending, faults: own };
}

/**
 * Where a fault rule asks for it, another member of the workspace has ordered and paid the like, and its end is told
 * first [I237]: with a seed of its own, and a result that can be read. Of a job that fails nothing is to be read.
 */
function orderForeign(parts: MemberJobParts, tx: Transaction, { job, outcome }: Ending<NewJob>): void {
  if ('error' in outcome) return;
  const accountId = memberOf(parts, tx, job.workspaceId);
  const { credits, medium, model } = job;
  topUp(tx, parts.random, { accountId, amount: credits });
  const id = nextId(tx, parts.random, 'job', accountId);
  const order = { accountId, amount: credits, operation: `${medium}.generation`, model, jobId: id };
  const { n } = charge(tx, parts.random, order);
  const foreign: NewJob = {
    ...job,
    id,
    accountId,
    requestId: null,
    charge: n,
    ...seededAnew(job),
    store: false,
    faults: { webhook: 'foreign' },
    status: 'processing',
    polls: 0,
  };
  makeFinal(parts, tx, { job: foreign, outcome, write: (final) => insertJob(tx, final) });
}

function seededAnew({ seed, parameters }: NewJob): Pick<NewJob, 'seed' | 'parameters'> {
  if (seed === null) return { seed, parameters };
  const another = (seed + ANOTHER) % MOST_SEED;
  return { seed: another, parameters: { ...parameters, seed: another } };
}

function memberOf({ accounts }: MemberJobParts, tx: Transaction, workspaceId: string): string {
  const known = findNamed(tx, workspaceId, NAME);
  return known?.id ?? accounts.openWithin(tx, { workspaceId, name: NAME, role: 'member', credits: 0 }).account.id;
}
