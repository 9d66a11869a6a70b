import type { Both } from '../../../trace/compare-runs.ts';
import { formatNumber } from '../pieces/credits.tsx';

/** What each of two runs had of something. */
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
              <th scope="col">What</th>
              <th scope="col">Left</th>
              <th scope="col">Right</th>
              <th scope="col">More</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, a, b }) => (
              <tr key={name} data-differs={a === b ? undefined : ''}>
                <th scope="row">{name}</th>
                <td>{formatNumber(a)}</td>
                <td>{formatNumber(b)}</td>
                <td>
                  {a === b ? (
                    <span className="soft">same</span>
                  ) : (
                    `${b > a ? '+' : '−'}${formatNumber(Math.abs(b - a))}`
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
