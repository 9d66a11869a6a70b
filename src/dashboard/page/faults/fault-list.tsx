import { ShieldCheck, X } from 'lucide-react';
import { useMemo } from 'react';
import { callControl } from '../data/call-api.ts';
import { useSecond } from '../data/emulator-clock.ts';
import { useAct } from '../data/queries.ts';
import { recordSource } from '../data/record-source.ts';
import { Button } from '../pieces/button.tsx';
import type { Column } from '../pieces/column.ts';
import { DataList } from '../pieces/data-list.tsx';
import { EmptyState } from '../pieces/empty-state.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { Badge, type Tone } from '../pieces/status-badge.tsx';
import { sayError } from '../pieces/toast.tsx';
import { useSearched } from '../pieces/use-searched.tsx';
import type { Rule } from './fault-records.ts';
import { matchText, stateOf, strikesText } from './fault-text.ts';
import { useRules } from './use-rules.ts';

interface FaultListProps {
  accountId: string | undefined;
  opened: string | undefined;
  onOpen: (id: string) => void;
}

/** Every rule with how often it struck, and what holds, newest first. */
export function FaultList({ accountId, opened, onOpen }: FaultListProps) {
  const { rules, error, isPending } = useRules();
  const { rows, field, none } = useSearched('Search rules', rules);
  const columns = useMemo(() => columnsFor(accountId), [accountId]);
  if (error && rules.length === 0) return <ErrorNotice error={error} />;
  return (
    <>
      {field}
      <DataList
        label="Fault rules"
        rows={rows}
        columns={columns}
        keyOf={keyOfRule}
        opened={opened}
        onOpen={onOpen}
        toneOf={toneOfRule}
        empty={isPending ? null : none || <NoRules />}
      />
    </>
  );
}

const keyOfRule = ({ id }: Rule) => id;

function toneOfRule({ count }: Rule): Tone | undefined {
  return count.done > 0 ? 'wait' : undefined;
}

function columnsFor(accountId: string | undefined): readonly Column<Rule>[] {
  const columns: readonly Column<Rule>[] = [
    { title: 'State', width: '80px', cell: (rule) => <RuleState rule={rule} />, line: 1 },
    {
      ...{ title: 'What it does', width: 'minmax(180px, 3fr)', line: 1, grow: true },
      cell: ({ says }) => <span title={says}>{says}</span>,
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
    { title: 'Remove', width: '56px', cell: (rule) => <RemoveRule rule={rule} />, line: 1 },
  ];
  return recordSource.value ? columns.slice(0, -1) : columns;
}

function chanceText({ probability }: Rule): string {
  return `${Math.round(probability * 1000) / 10} %`;
}

export function RuleState({ rule }: { rule: Rule }) {
  const { text, tone } = stateOf(rule, useSecond());
  return <Badge tone={tone}>{text}</Badge>;
}

function RemoveRule({ rule: { id, path } }: { rule: Rule }) {
  const remove = useAct(() => callControl('DELETE', `${path}/${id}`));
  return (
    <Button
      look="quiet"
      icon={<X aria-hidden />}
      aria-label={`Remove ${id}`}
      title="Remove this rule"
      disabled={remove.isPending}
      onClick={() => remove.mutate(undefined, { onError: sayError })}
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
