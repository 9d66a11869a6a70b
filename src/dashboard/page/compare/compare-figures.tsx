import type { Comparison } from '../../../trace/compare-runs.ts';
import { formatNumber } from '../pieces/credits.tsx';

/** Where two runs part, and by how much. */
export function CompareFigures({ compared: { pairs, parted, spend, answers } }: { compared: Comparison }) {
  const [a, b] = [pairs.filter((pair) => pair.a).length, pairs.filter((pair) => pair.b).length];
  const first = pairs[parted];
  const figures = [
    parted === -1
      ? ['Nowhere', 'they part', 'good']
      : [`Step ${formatNumber(parted + 1)}`, `they part: ${first?.a?.what ?? first?.b?.what}`, 'bad'],
    [`${formatNumber(spend.a)} · ${formatNumber(spend.b)}`, `credits, ${signed(spend.b - spend.a)}`],
    [`${formatNumber(a)} · ${formatNumber(b)}`, `steps, ${signed(b - a)}`],
    [formatNumber(answers.length), answers.length === 1 ? 'answer differs' : 'answers differ'],
  ];
  return (
    <dl className="compare-figures">
      {figures.map(([value, name, tone]) => (
        <div key={name} data-tone={tone}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function signed(n: number): string {
  if (n === 0) return 'the same';
  return n > 0 ? `${formatNumber(n)} more` : `${formatNumber(-n)} fewer`;
}
