import { chooseAccount, useAccounts } from '../data/chosen-account.ts';
import { useRecord } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { Credits } from '../pieces/credits.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { ErrorNotice, Notice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { JsonView } from '../pieces/json-view.tsx';
import { Facts, Section } from '../pieces/page-head.tsx';
import { exactTime, RelativeTime } from '../pieces/relative-time.tsx';
import { KINDS } from './ledger-columns.tsx';
import type { EntryRecord } from './money-records.ts';

/** One entry of the ledger, of whichever account. */
export function EntryDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useRecord<EntryRecord>(`/ledger/${id}`);
  const entry = data?.id === id ? data : undefined;
  return (
    <Drawer
      label="Ledger entry"
      title={
        entry ? (
          <>
            {KINDS[entry.type]} of <Credits amount={Math.abs(entry.amount)} unit />
          </>
        ) : (
          id
        )
      }
      onClose={onClose}
    >
      <ErrorNotice error={error} />
      {entry && <EntryContents entry={entry} />}
    </Drawer>
  );
}

function EntryContents({ entry }: { entry: EntryRecord }) {
  const { account } = useAccounts();
  const isElsewhere = account !== undefined && account.id !== entry.account_id;
  return (
    <>
      {isElsewhere && (
        <Notice tone="plain">
          This entry is of another account.{' '}
          <Button onClick={() => chooseAccount(entry.account_id)}>Show its ledger</Button>
        </Notice>
      )}
      <Section title="Facts">
        <Facts facts={factsOf(entry)} />
      </Section>
      <Section title="As the control surface tells it">
        <JsonView value={entry} label="Ledger entry" />
      </Section>
    </>
  );
}

function factsOf(entry: EntryRecord) {
  const { id, amount, balance, operation, model, job_id, created, account_id } = entry;
  const { refund_of, refunded_by } = entry;
  return {
    Entry: <IdChip id={id} />,
    Amount: <Credits amount={amount} signed />,
    'Balance after': <Credits amount={balance} />,
    Operation: operation,
    Model: model,
    Job: job_id && <IdChip id={job_id} />,
    'Gives back': refund_of && <IdChip id={refund_of} />,
    'Given back by': refunded_by && <IdChip id={refunded_by} />,
    Time: (
      <>
        <RelativeTime at={created} /> <span className="soft">{exactTime(created)}</span>
      </>
    ),
    Account: <IdChip id={account_id} />,
  };
}
