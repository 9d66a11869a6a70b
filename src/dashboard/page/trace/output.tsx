import './output.css';
import * as icons from 'lucide-react';
import { type OutputLine, parseColoredText } from '../../../base/output/output-line.ts';
import { EmptyState } from '../components/page-parts.tsx';
import { traceSource } from '../data/call-api.ts';

export default function OutputPage() {
  if (traceSource.value?.trace.output.length === 0) {
    return <EmptyState icon={icons.SquareTerminal} title="The command printed nothing" />;
  }
  return <CommandOutputPanel as="section" />;
}

export function CommandOutputPanel({ as: Region }: { as: 'aside' | 'section' }) {
  const { output = [], head } = traceSource.value?.trace ?? {};
  if (output.length === 0 || !head) return null;
  return (
    <Region className="output column sunken" aria-label="Output of the command">
      <h2 className="page-head row ruled soft small">
        <icons.SquareTerminal aria-hidden />
        <span>
          Output of the command
          <br />
          <span className="tiny">Keys are masked; the output may still contain other secrets.</span>
        </span>
      </h2>
      <ol className="fill scrolls" tabIndex={0} aria-label="Lines of output">
        {numbered(output).map(({ n, line }) => (
          <li key={n} data-from={line.from}>
            <span className="soft">{((line.at - head.span.began) / 1000).toFixed(3)}</span>
            <Printed line={line} />
          </li>
        ))}
      </ol>
    </Region>
  );
}

const numbered = (output: readonly OutputLine[]) => output.map((line, n) => ({ n, line }));

const TONES = { red: 'bad', green: 'good', yellow: 'wait', blue: 'work', grey: 'plain' } as const;

function Printed({ line }: { line: OutputLine }) {
  const pieces = parseColoredText(line.text).map((piece, at) => ({ ...piece, at }));
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
}
