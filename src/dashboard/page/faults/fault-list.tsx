import { ShieldCheck, X } from 'lucide-react';
import { useMemo } from 'react';
import { callControl } from '../data/call-api.ts';
import { useSecond } from '../data/emulator-clock.ts';
import { recordSource } from '../data/record-source.ts';
import { Act } from '../pieces/act.tsx';
import type { Column } from '../pieces/column.ts';
import { ListTools } from '../pieces/list-tools.tsx';
import { RecordList } from '../pieces/record-list.tsx';
import { Badge, type Tone } from '../pieces/status-badge.tsx';
import { agoColumn } from '../pieces/time-column.tsx';
import { useFitting } from '../pieces/use-whole.ts';
import type { Rule } from './fault-records.ts';
import { matchText, stateOf, strikesText } from './fault-text.ts';
import { useRules } from './use-rules.ts';

interface FaultListProps {
  accountId: string | undefined;
  opened: string | undefined;
  onOpen: (id: string) => void;
}

const NONE = {
  icon: ShieldCheck,
  title: 'Nothing is made to go wrong',
  children: <p>Take one of the rules above, or make your own, and see how your program bears it.</p>,
};

/** Every rule with how often it struck, and what holds, newest first. */
export function FaultList({ accountId, opened, onOpen }: FaultListProps) {
  const { rules, ...found } = useRules();
  const fit = useFitting(rules);
  const columns = useMemo(() => columnsFor(accountId), [accountId]);
  return (
    <>
      <ListTools label="Search rules" />
      <RecordList
        label="Fault rules"
        found={{ ...found, ...fit, hasMore: false, more: undefined }}
        {...{ columns, opened, onOpen, toneOf: toneOfRule, none: NONE }}
        isFiltered={rules.length > 0}
      />
    </>
  );
}

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
    agoColumn('Made', ({ created }) => created, { wide: true }),
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
  return <Act text={`Remove ${id}`} icon={X} look="quiet" isSmall act={() => callControl('DELETE', `${path}/${id}`)} />;
}
