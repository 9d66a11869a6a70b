import { SquareTerminal } from 'lucide-react';
import { memo, useEffect, useRef } from 'react';
import type { OutputLine } from '../../../base/output/output-line.ts';
import { linePieces, plainLine } from '../../../base/output/output-line.ts';
import { useStore } from '../data/browser.ts';
import { recordSource } from '../data/call-api.ts';
import { playbackStore } from '../data/playback.ts';

/** How many lines before and after the moment are drawn. */
const AROUND = 400;

/** The line that was printed last at a moment. */
export function currentLine(at: number): string | undefined {
  const { output = [] } = recordSource.value?.trace ?? {};
  const line = output.findLast((each) => each.at <= at);
  return line && plainLine(line.text).slice(0, 300);
}

/** The output of the command; what was printed after the current moment is hatched. */
export function OutputPane() {
  return <Output as="aside" />;
}

/** The same within a page. */
export function OutputPage() {
  return <Output as="section" />;
}

function Output({ as: Region }: { as: 'aside' | 'section' }) {
  const moment = useStore(playbackStore);
  const list = useRef<HTMLOListElement>(null);
  const { output = [], head } = recordSource.value?.trace ?? {};
  const at = moment?.at ?? 0;
  const last = output.findLastIndex((line) => line.at <= at);
  useEffect(() => {
    const line = last === -1 ? undefined : list.current?.querySelector<HTMLElement>('[data-at]');
    if (line && list.current) list.current.scrollTop = line.offsetTop - list.current.clientHeight / 2;
  }, [last]);
  if (output.length === 0 || !head) return null;
  const from = Math.max(0, last - AROUND);
  const lines = output.slice(from, last + AROUND).map((line, n) => ({ ...line, index: from + n }));
  return (
    <Region className="output column sunken" aria-label="Output of the command">
      <h2 className="page-head row ruled soft small">
        <SquareTerminal aria-hidden />
        <span>
          Output of the command
          <br />
          <span className="tiny">Keys are masked; the output may still contain other secrets.</span>
        </span>
      </h2>
      {/* It scrolls: without a pointer it is reached with Tab. */}
      <ol className="fill scrolls" ref={list} tabIndex={0} aria-label="Lines of output">
        {lines.map((line) => (
          <li
            key={line.index}
            className={line.at > at ? 'hatched soft' : undefined}
            data-at={line.index === last ? '' : undefined}
            data-from={line.from}
          >
            <span className="soft">{((line.at - head.span.began) / 1000).toFixed(3)}</span>
            <Printed line={line} />
          </li>
        ))}
      </ol>
    </Region>
  );
}

/** In which tone of the page each colour of a terminal is readable. */
const TONES = { red: 'bad', green: 'good', yellow: 'wait', blue: 'work', grey: 'plain' } as const;

/** A line in the colours in which it was printed. */
const Printed = memo(({ line }: { line: OutputLine }) => {
  const pieces = linePieces(line.text).map((piece, at) => ({ ...piece, at }));
  return (
    <span data-plain={pieces.some(({ ink }) => ink) ? undefined : ''}>
      {pieces.map(({ at, text, ink, isBold, isFilled }) => (
        <span
          key={at}
          className={isBold ? 'toned strong' : 'toned'}
          data-tone={ink && TONES[ink]}
          data-filled={isFilled || undefined}
        >
          {text}
        </span>
      ))}
    </span>
  );
});
