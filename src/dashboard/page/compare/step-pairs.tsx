import { useState } from 'react';
import type { Comparison, StepPair } from '../../../trace/compare-runs.ts';
import type { RunStep } from '../../../trace/run-steps.ts';
import { formatNumber } from '../pieces/credits.tsx';

/** Of equal steps so many stay in sight before and after those that differ. */
const AROUND = 2;
/** So many pairs are drawn. */
const MOST = 600;

type Part = { fold: number; from: number } | { pair: StepPair; place: number };

/** The steps of both runs side by side, equal ones folded. */
export function StepPairs({ compared: { pairs, parted }, names }: { compared: Comparison; names: [string, string] }) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const parts = folded(pairs, opened).slice(0, MOST);
  return (
    <section className="pairs" aria-label="Steps of both runs">
      <div className="pair pair-names">
        <div>
          <b>This run</b> <span className="soft">{names[0]}</span>
        </div>
        <div className="spine" />
        <div>
          <b>The other</b> <span className="soft">{names[1]}</span>
        </div>
      </div>
      <ol>
        {parts.map((part) =>
          'fold' in part ? (
            <li key={`fold ${part.from}`}>
              <button type="button" className="fold" onClick={() => setOpened(new Set([...opened, part.from]))}>
                {formatNumber(part.fold)} equal steps
              </button>
            </li>
          ) : (
            <li
              key={part.place}
              className="pair"
              data-differs={part.pair.isSame ? undefined : ''}
              data-first={part.place === parted ? '' : undefined}
            >
              <Side step={part.pair.a} />
              <div className="spine">{formatNumber(part.place + 1)}</div>
              <Side step={part.pair.b} />
            </li>
          ),
        )}
      </ol>
    </section>
  );
}

function Side({ step }: { step: RunStep | undefined }) {
  if (!step) return <div className="no-step">not in this run</div>;
  return (
    <div>
      <span className="soft">{(step.at / 1000).toFixed(3)}</span> {step.what} <b>{step.came}</b>
    </div>
  );
}

function folded(pairs: readonly StepPair[], opened: ReadonlySet<number>): Part[] {
  const parts: Part[] = [];
  for (let from = 0; from < pairs.length; ) {
    const next = pairs.findIndex((pair, at) => at >= from && !pair.isSame);
    const until = next === -1 ? pairs.length : next;
    const [head, tail] = [from === 0 ? 0 : AROUND, next === -1 ? 0 : AROUND];
    const hidden = until - from - head - tail;
    for (let place = from; place < until; place += 1) {
      if (hidden > AROUND && place === from + head && !opened.has(place)) {
        parts.push({ fold: hidden, from: place });
        place += hidden - 1;
      } else parts.push({ pair: pairs[place] as StepPair, place });
    }
    if (next !== -1) parts.push({ pair: pairs[next] as StepPair, place: next });
    from = until + 1;
  }
  return parts;
}
