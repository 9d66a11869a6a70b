import { ShieldCheck, X } from 'lucide-react';
import { callControl } from '../data/call-api.ts';
import { useSecond } from '../data/emulator-clock.ts';
import { useAct, useList } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import type { Column } from '../pieces/column.ts';
import { DataList } from '../pieces/data-list.tsx';
import { EmptyState } from '../pieces/empty-state.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { Badge, type Tone } from '../pieces/status-badge.tsx';
import { sayError } from '../pieces/toast.tsx';
import type { FaultRecord } from './fault-records.ts';
import { effectText, matchText, stateOf, strikesText } from './fault-text.ts';

interface FaultListProps {
  accountId: string | undefined;
  opened: string | undefined;
  onOpen: (id: string) => void;
}

/** Every rule with how often it struck, newest first. */
export function FaultList({ accountId, opened, onOpen }: FaultListProps) {
  const { data: rules = [], error, isPending } = useList<FaultRecord>('/faults');
  if (error && rules.length === 0) return <ErrorNotice error={error} />;
  return (
    <DataList
      label="Fault rules"
      rows={rules}
      columns={columnsFor(accountId)}
      keyOf={keyOfRule}
      opened={opened}
      onOpen={onOpen}
      toneOf={toneOfRule}
      empty={isPending ? null : <NoRules />}
    />
  );
}

const keyOfRule = ({ id }: FaultRecord) => id;

function toneOfRule({ strikes }: FaultRecord): Tone | undefined {
  return strikes > 0 ? 'wait' : undefined;
}

function columnsFor(accountId: string | undefined): readonly Column<FaultRecord>[] {
  return [
    { title: 'State', width: '80px', cell: (rule) => <RuleState rule={rule} />, line: 1 },
    {
      ...{ title: 'What it does', width: 'minmax(180px, 3fr)', line: 1, grow: true },
      cell: ({ effect }) => <span title={effectText(effect)}>{effectText(effect)}</span>,
    },
    {
      ...{ title: 'To', width: 'minmax(120px, 3fr)', line: 2, grow: true },
      cell: ({ match }) => (
        <span className="soft" title={matchText(match, accountId)}>
          {matchText(match, accountId)}
        </span>
      ),
    },
    { title: 'Struck', width: '88px', align: 'end', cell: strikesText, line: 2 },
    { title: 'Chance', width: '64px', align: 'end', wide: true, cell: chanceText },
    {
      ...{ title: 'Made', width: '88px', wide: true },
      cell: ({ created }) => (
        <span className="soft">
          <RelativeTime at={created} />
        </span>
      ),
    },
    { title: 'Remove', width: '56px', cell: ({ id }) => <RemoveRule id={id} />, line: 1 },
  ];
}

function chanceText({ probability }: FaultRecord): string {
  return `${Math.round(probability * 1000) / 10} %`;
}

export function RuleState({ rule }: { rule: FaultRecord }) {
  const { text, tone } = stateOf(rule, useSecond());
  return <Badge tone={tone}>{text}</Badge>;
}

function RemoveRule({ id }: { id: string }) {
  const remove = useAct(() => callControl('DELETE', `/faults/${id}`));
  return (
    <Button
      look="quiet"
      icon={<X aria-hidden />}
      aria-label={`Remove ${id}`}
      title="Remove this rule"
      disabled={remove.isPending}
      onClick={(event) => {
        event.stopPropagation();
        remove.mutate(undefined, { onError: sayError });
      }}
    />
  );
}

function NoRules() {
  return (
    <EmptyState icon={ShieldCheck} title="Nothing is made to go wrong">
      <p>Take one of the rules above, or make your own, and see how your program bears it.</p>
    </EmptyState>
  );
}
