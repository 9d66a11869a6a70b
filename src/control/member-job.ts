import { nextId } from '../base/database/id-store.ts';
import type { Transaction } from '../base/database/transaction.ts';
import type { Random } from '../base/random.ts';
import { findNamed } from '../engine/accounts/account-store.ts';
import type { Accounts } from '../engine/accounts/accounts.ts';
import type { NewJob } from '../engine/jobs/job.ts';
import { insertJob } from '../engine/jobs/job-store.ts';
import type { JobEnd, WriteEnd } from '../engine/jobs/job-transitions.ts';
import { charge, topUp } from '../engine/ledger/ledger.ts';

interface MemberParts {
  random: Random;
  accounts: Accounts;
}

/** The name of the member whose orders the tested application never made. */
const MEMBER_NAME = 'Another member';

/** With the fault `foreign`, a job of another member of the workspace ends first [I237]. */
export function memberEndsFirst(end: WriteEnd, parts: MemberParts): WriteEnd {
  return (tx, ending) => {
    const { faults } = ending.job;
    if (faults?.webhook !== 'foreign') return end(tx, ending);
    const { webhook: _foreign, ...own } = faults;
    const ofMember = memberEnding(parts, tx, ending);
    if (ofMember) end(tx, ofMember);
    return end(tx, { ...ending, faults: own });
  };
}

/**
 * A paid job like this one, of another member, with a seed of its own and a readable result. A job that fails has no result
 * to read: then there is none.
 */
function memberEnding(
  parts: MemberParts,
  tx: Transaction,
  { job, outcome }: JobEnd<NewJob>,
): JobEnd<NewJob> | undefined {
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
