import type { AnswerDifference } from '../../../trace/compare-answers.ts';
import { grouped } from '../../../trace/order-book-at.ts';
import { formatNumber } from '../pieces/credits.tsx';

/** What answers to the same request say differently, by its path and the field. */
export function FieldTable({ rows, alike }: { rows: readonly AnswerDifference[]; alike: number }) {
  const paths = grouped(rows, ({ what }) => what);
  return (
    <section className="compare-table padded" aria-label="What answers say">
      <h2>What answers say</h2>
      {[...paths].map(([what, fields]) => (
        <div key={what} className="section">
          <h3 className="mono">{what}</h3>
          <dl className="stack small">
            {fields.map(({ field, a, b, times }) => (
              <div key={field}>
                <dt>
                  {field || 'the answer'}
                  {times > 1 && <span className="soft"> in {times} answers, first</span>}
                </dt>
                <dd>
                  <span className="soft">Left</span> <code>{a ?? 'absent'}</code>
                </dd>
                <dd>
                  <span className="soft">Right</span> <code>{b ?? 'absent'}</code>
                </dd>
              </div>
            ))}
          </dl>
        </div>
      ))}
      <p className="soft">
        {formatNumber(alike)} {alike === 1 ? 'kind of request was' : 'kinds of requests were'} answered the same, but
        for ids, addresses and times.
      </p>
    </section>
  );
}
