import type { Comparison } from '../../../trace/compare-runs.ts';
import { formatNumber } from '../pieces/credits.tsx';
import { Figure, Figures } from '../pieces/figures.tsx';

/** Where two runs part, and by how much. */
export function CompareFigures({ compared: { pairs, parted, spend, answers } }: { compared: Comparison }) {
  const [a, b] = [pairs.filter((pair) => pair.a).length, pairs.filter((pair) => pair.b).length];
  const first = pairs[parted];
  const figures = [
    parted === -1
      ? ['First step that differs', 'None', `of ${formatNumber(pairs.length)}`, 'good']
      : [
          'First step that differs',
          formatNumber(parted + 1),
          `of ${formatNumber(pairs.length)}: ${(first?.a ?? first?.b)?.what}`,
          'bad',
        ],
    ['Credits, net', `${formatNumber(spend.a)} · ${formatNumber(spend.b)}`, signed(spend.b - spend.a)],
    ['Steps', `${formatNumber(a)} · ${formatNumber(b)}`, signed(b - a)],
    ['Answers that differ', formatNumber(answers.length), answers.length === 1 ? 'kind' : 'kinds'],
  ];
  return (
    <Figures>
      {figures.map(([name = '', value, note, tone]) => (
        <Figure key={name} name={name} note={note}>
          <span className={tone && 'toned'} data-tone={tone}>
            {value}
          </span>
        </Figure>
      ))}
    </Figures>
  );
}

function signed(n: number): string {
  if (n === 0) return 'the same';
  return n > 0 ? `${formatNumber(n)} more` : `${formatNumber(-n)} fewer`;
}
