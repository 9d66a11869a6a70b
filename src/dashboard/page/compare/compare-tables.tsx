import type { Both, Comparison } from '../../../trace/compare-runs.ts';
import type { AnswerDifference } from '../../../trace/run-steps.ts';
import { grouped } from '../../../trace/trace-orders.ts';
import { Facts, Figure, Figures } from '../pieces/page-parts.tsx';
import { formatNumber, type Tone, Toned } from '../pieces/values.tsx';

/** Where two runs part, and by how much. */
export function CompareFigures({ compared: { pairs, parted, spend, answers } }: { compared: Comparison }) {
  const [a, b] = [pairs.filter((pair) => pair.a).length, pairs.filter((pair) => pair.b).length];
  const first = pairs[parted];
  const of = `of ${formatNumber(pairs.length)}`;
  const place = first
    ? [formatNumber(parted + 1), `${of}: ${(first.a ?? first.b)?.what}`, 'bad']
    : ['None', of, 'good'];
  const figures = [
    ['First step that differs', ...place],
    ['Credits, net', `${formatNumber(spend.a)} · ${formatNumber(spend.b)}`, signed(spend.b - spend.a)],
    ['Steps', `${formatNumber(a)} · ${formatNumber(b)}`, signed(b - a)],
    ['Answers that differ', formatNumber(answers.length), answers.length === 1 ? 'kind' : 'kinds'],
  ];
  return (
    <Figures>
      {figures.map(([name = '', value, note, tone]) => (
        <Figure key={name} name={name} note={note}>
          <Toned tone={tone as Tone | undefined}>{value}</Toned>
        </Figure>
      ))}
    </Figures>
  );
}

function signed(n: number): string {
  if (n === 0) return 'the same';
  return n > 0 ? `${formatNumber(n)} more` : `${formatNumber(-n)} fewer`;
}

/** A value in each of two runs. */
export function BothTable({ title, rows }: { title: string; rows: readonly Both[] }) {
  return (
    <section className="compare-table padded ruled" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p className="soft">None.</p>
      ) : (
        <table>
          <thead>
            <tr>
              {['What', 'Left', 'Right', 'More'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, a, b }) => (
              <tr key={name} data-differs={a === b ? undefined : ''}>
                <th scope="row">{name}</th>
                <td>{formatNumber(a)}</td>
                <td>{formatNumber(b)}</td>
                <td>{a === b ? 'same' : `${b > a ? '+' : '−'}${formatNumber(Math.abs(b - a))}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** What answers to the same request say differently, by its path and the field. */
export function FieldTable({ rows, alike }: { rows: readonly AnswerDifference[]; alike: number }) {
  const paths = grouped(rows, ({ what }) => what);
  return (
    <section className="compare-table padded" aria-label="What answers say">
      <h2>What answers say</h2>
      {[...paths].map(([what, fields]) => (
        <div key={what} className="section">
          <h3 className="mono">{what}</h3>
          {fields.map(({ field, a, b, times }) => (
            <div key={field} className="section">
              <h4 className="strong">
                {field || 'the answer'}
                {times > 1 && <span className="soft"> in {times} answers, first</span>}
              </h4>
              <Facts facts={{ Left: <code>{a ?? 'absent'}</code>, Right: <code>{b ?? 'absent'}</code> }} />
            </div>
          ))}
        </div>
      ))}
      <p className="soft">
        {formatNumber(alike)} {alike === 1 ? 'kind of request was' : 'kinds of requests were'} answered the same, but
        for ids, addresses and times.
      </p>
    </section>
  );
}
