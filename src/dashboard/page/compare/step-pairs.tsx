import { useState } from 'react';
import { Link } from 'wouter';
import type { Comparison } from '../../../trace/compare-runs.ts';
import type { RunStep, StepPair } from '../../../trace/run-steps.ts';
import type { TraceHead } from '../../../trace/trace-file.ts';
import { durationText } from '../data/emulator-clock.ts';
import { at } from '../data/paths.ts';
import { formatNumber } from '../pieces/values.tsx';

/** Of equal steps so many stay in sight before and after those that differ. */
const AROUND = 2;
/** So many pairs are drawn. */
const MOST = 600;

type Part = { fold: number; from: number } | { pair: StepPair; place: number };

interface StepPairsProps {
  compared: Comparison;
  heads: readonly [TraceHead, TraceHead];
  /** The side of this page's own run: its steps open as their orders. */
  own: 'a' | 'b';
}

/** The steps of both runs side by side, equal ones folded. */
export function StepPairs({ compared: { pairs, parted }, heads, own }: StepPairsProps) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const parts = folded(pairs, opened).slice(0, MOST);
  return (
    <section className="pairs" aria-label="Steps of both runs">
      <div className="pair pair-names ruled sunken">
        <RunName head={heads[0]} isOwn={own === 'a'} />
        <div className="spine small">step</div>
        <RunName head={heads[1]} isOwn={own === 'b'} />
      </div>
      <ol>
        {parts.map((part) =>
          'fold' in part ? (
            <li key={`fold ${part.from}`}>
              <button
                type="button"
                className="bare padded soft small"
                onClick={() => setOpened(new Set([...opened, part.from]))}
              >
                {formatNumber(part.fold)} equal steps
              </button>
            </li>
          ) : (
            <li
              key={part.place}
              className="pair ruled"
              data-differs={part.pair.isSame ? undefined : ''}
              data-first={part.place === parted ? '' : undefined}
            >
              {part.place === parted && <p className="parting padded strong">Here they part</p>}
              <Side step={part.pair.a} isOwn={own === 'a'} />
              <div className="spine small">{formatNumber(part.place + 1)}</div>
              <Side step={part.pair.b} isOwn={own === 'b'} />
            </li>
          ),
        )}
      </ol>
    </section>
  );
}

function RunName({ head: { title, exit, span, failure }, isOwn }: { head: TraceHead; isOwn: boolean }) {
  const about = [
    isOwn ? 'this run' : 'the other',
    exit === null ? '' : `exit ${exit}`,
    durationText(span.ended - span.began),
  ];
  return (
    <div>
      <b>{title}</b>
      <span className="soft">{[...about, failure ?? ''].filter(Boolean).join(' · ')}</span>
    </div>
  );
}

function Side({ step, isOwn }: { step: RunStep | undefined; isOwn: boolean }) {
  if (!step) return <div className="hatched soft">nothing</div>;
  const { at: when, what, came, id, order } = step;
  return (
    <div data-follows={id === order ? undefined : ''}>
      <span className="soft">+{(when / 1000).toFixed(3)}</span>{' '}
      <span>
        {isOwn ? <Link href={at.trail(id)}>{what}</Link> : what} <b>{came}</b>
      </span>
    </div>
  );
}

function folded(pairs: readonly StepPair[], opened: ReadonlySet<number>): Part[] {
  const parts: Part[] = [];
  for (let from = 0; from < pairs.length; ) {
    const next = pairs.findIndex((pair, place) => place >= from && !pair.isSame);
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
