import { Activity, Pause, Play, SearchX, Trash2 } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { callControl } from '../data/call-api.ts';
import { useAccounts } from '../data/chosen-account.ts';
import { firstCall } from '../data/code-samples.ts';
import { useStore } from '../data/page-store.ts';
import { useAct } from '../data/queries.ts';
import { requestStore } from '../data/request-store.ts';
import { Button } from '../pieces/button.tsx';
import { Choices } from '../pieces/choices.tsx';
import { Confirm } from '../pieces/confirm.tsx';
import { formatNumber } from '../pieces/credits.tsx';
import { DataList } from '../pieces/data-list.tsx';
import { Split } from '../pieces/drawer.tsx';
import { EmptyState } from '../pieces/empty-state.tsx';
import { Code } from '../pieces/json-view.tsx';
import { PageHead } from '../pieces/page-head.tsx';
import { SearchField } from '../pieces/search-field.tsx';
import { sayError } from '../pieces/toast.tsx';
import { useFilter } from '../pieces/use-filter.ts';
import { useOpened } from '../pieces/use-opened.ts';
import { filterRequests } from './filter-requests.ts';
import { REQUEST_COLUMNS, toneOfRequest } from './request-columns.tsx';
import { RequestDrawer } from './request-drawer.tsx';
import './live.css';

const OUTCOMES = [
  ['all', 'All'],
  ['ok', 'Answered'],
  ['failed', 'Failed'],
  ['warned', 'Warnings'],
] as const;
const OWNERS = [
  ['all', 'Every account'],
  ['mine', 'This account'],
] as const;

/** Requests as they happen; each opens beside the list. */
export default function LivePage() {
  const list = useStore(requestStore);
  const { id, open, close } = useOpened('live');
  const [text, setText] = useFilter('q');
  const [outcome, setOutcome] = useFilter('outcome', 'all');
  const [owner, setOwner] = useFilter('of', 'all');
  const { account, accounts } = useAccounts();
  const accountId = owner === 'mine' ? account?.id : undefined;
  useEffect(() => {
    if (!requestStore.value.isLoaded) requestStore.load().catch(sayError);
  }, []);
  const rows = useMemo(
    () => filterRequests(list.rows, { text, outcome, accountId }),
    [list.rows, text, outcome, accountId],
  );
  return (
    <Split drawer={id && <RequestDrawer id={id} onClose={close} />}>
      <PageHead title="Live">
        <SearchField label="Search requests" value={text} onChange={setText} />
        <Choices label="Outcome" value={outcome} options={OUTCOMES} onChange={setOutcome} />
        {accounts.length > 1 && <Choices label="Whose requests" value={owner} options={OWNERS} onChange={setOwner} />}
        <span className="page-head-gap" />
        {!id && <RequestCount shown={rows.length} />}
        <PauseButton />
        <ClearButton />
      </PageHead>
      <DataList
        label="Requests"
        rows={rows}
        columns={REQUEST_COLUMNS}
        keyOf={keyOfRequest}
        opened={id}
        onOpen={open}
        toneOf={toneOfRequest}
        empty={list.isLoaded ? <NoRequests isFiltered={list.rows.length > 0} /> : null}
        foot={list.hasOlder && <OlderButton />}
      />
    </Split>
  );
}

const keyOfRequest = ({ id }: { id: string }) => id;

function RequestCount({ shown }: { shown: number }) {
  const { rows, missed } = useStore(requestStore);
  const all = shown === rows.length ? '' : ` of ${formatNumber(rows.length)}`;
  return (
    <span className="soft request-count">
      {formatNumber(shown)}
      {all} {rows.length === 1 ? 'request' : 'requests'}
      {missed > 0 && (
        <Button look="quiet" onClick={() => void requestStore.reload().catch(sayError)}>
          {formatNumber(missed)} came too fast: read them
        </Button>
      )}
    </span>
  );
}

function PauseButton() {
  const { isPaused, held } = useStore(requestStore);
  if (!isPaused) {
    return (
      <Button icon={<Pause aria-hidden />} onClick={() => requestStore.pause()}>
        Pause
      </Button>
    );
  }
  return (
    <Button look="primary" icon={<Play aria-hidden />} onClick={() => requestStore.goOn()}>
      {held === 0 ? 'Go on' : `Go on (${formatNumber(held)} new)`}
    </Button>
  );
}

function ClearButton() {
  const clear = useAct(
    () => callControl<void>('DELETE', '/requests'),
    () => requestStore.reload().catch(sayError),
  );
  return (
    <Confirm
      trigger={<Button look="quiet" icon={<Trash2 aria-hidden />} aria-label="Clear the record" />}
      title="Clear the record of requests?"
      note="Those of every account are forgotten. Money, jobs and files stay."
      action="Clear"
      onConfirm={() => clear.mutate(undefined, { onError: sayError })}
    />
  );
}

function OlderButton() {
  return <Button onClick={() => void requestStore.loadOlder().catch(sayError)}>Show older requests</Button>;
}

function NoRequests({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState icon={SearchX} title="No request is like this">
        <p>Change the search or the filters above.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={Activity} title="No request has come in yet">
      <p>Send one, and it appears here by itself:</p>
      <Code text={firstCall()} label="The first call" />
    </EmptyState>
  );
}
