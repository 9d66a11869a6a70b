import type { ProgressionRecord } from '../../../control/progression-control.ts';
import { useRecord } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { Figure } from '../pieces/figures.tsx';
import { lengthOfTime } from '../pieces/relative-time.tsx';
import { ProgressionForm } from './progression-form.tsx';

/** How jobs of the chosen account come to their end. */
export function ProgressionFigure({ account }: { account: Account }) {
  const params = { account_id: account.id };
  const { data } = useRecord<ProgressionRecord>('/progression', { params });
  const isOwn = data?.account_id !== undefined;
  return (
    <Figure
      name="Jobs come to their end"
      note={isOwn ? `of ${account.name ?? 'this account'} only` : 'of all accounts'}
      tool={data && <ProgressionForm account={account} inForce={data} />}
    >
      <span>{data ? textOf(data) : '–'}</span>
    </Figure>
  );
}

function textOf({ mode, value = 0 }: ProgressionRecord): string {
  if (mode === 'render') return 'as they render';
  if (mode === 'manual') return 'by hand';
  if (mode === 'polls') return value === 1 ? 'at the first poll' : `at poll ${value}`;
  return `after ${lengthOfTime(value)}`;
}
