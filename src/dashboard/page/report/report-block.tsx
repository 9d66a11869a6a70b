import type { ReactNode } from 'react';
import { type Drawn, drawLanes } from '../../../control/orders/draw-lanes.ts';
import { drawPairs } from '../../../control/orders/draw-pairs.ts';
import type { ReportBlock, ReportPart, RunDrawing } from '../../../control/trace/report-file.ts';
import { drawTree } from '../pieces/page-parts.tsx';
import { Code } from '../pieces/values.tsx';

export function Part({ part: { title, blocks } }: { part: ReportPart }) {
  const drawn = blocks.map((block) => <Block key={block.kind} block={block} />);
  if (title === undefined) return drawn;
  return (
    <section className="padded">
      <h3>{title}</h3>
      {drawn}
    </section>
  );
}

function Block({ block }: { block: ReportBlock }): ReactNode {
  switch (block.kind) {
    case 'text':
      return <p>{block.text}</p>;
    case 'lines':
      return <Lines {...block} />;
    case 'code':
      return <Code text={block.text} label={block.label} />;
    case 'list':
      return (
        <ul>
          {block.items.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </ul>
      );
    case 'entries':
      return <Entries {...block} />;
    case 'table':
      return <Table {...block} />;
    case 'drawing':
      return drawRun(block.drawing);
    case 'pairs':
      return drawBoth(block);
  }
}

export function Lines({ text, fold }: { text: string; fold?: string }) {
  const lines = (
    <pre className="framed sunken" tabIndex={0}>
      {text}
    </pre>
  );
  if (fold === undefined) return lines;
  return (
    <details className="padded">
      <summary>{fold}</summary>
      {lines}
    </details>
  );
}

type BlockOf<Kind> = Extract<ReportBlock, { kind: Kind }>;

function Entries({ entries }: BlockOf<'entries'>) {
  return (
    <ol className="entries">
      {entries.map(({ words, name, section }, at) => (
        <li key={name}>
          <span className="sign centred">{at + 1}</span>
          <span>
            {words}
            <code className="soft">{name}</code>
            <small className="soft">How a client deals with it: {section}</small>
          </span>
        </li>
      ))}
    </ol>
  );
}

/** The first cell of a row is its head. */
function Table({ heads, rows, isLastMarked }: BlockOf<'table'>) {
  const cell = (value: string, at: number, all: readonly string[]) =>
    isLastMarked && at === all.length - 1 ? <mark>{value}</mark> : value;
  return (
    <table>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col" className="soft small">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...values]) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            {values.map((value, at) => (
              <td key={heads[at + 1]}>{cell(value, at, values)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const NO_ICON = { 'lane-icon': () => null };

/** A run as an order is drawn, without what can be clicked. */
function drawRun(drawing: RunDrawing): ReactNode {
  const label = 'The failing run on one axis of time; the list below says the same';
  const look = { scale: 'even', attributes: { role: 'img', 'aria-label': label } } as const;
  return drawTree(
    drawLanes(drawing, {
      ...look,
      bar: ['span', { className: 'bar' }],
      inBar: ({ sign }) => (sign === undefined ? [] : [['span', { className: 'sign centred' }, String(sign)]]),
    }),
    NO_ICON,
  );
}

/** Nothing where both did the same. */
function drawBoth({ label, heads, pairs }: BlockOf<'pairs'>): ReactNode {
  const drawn = pairs.map(({ did, should }) => ({ sides: [did, should] as const, isSame: did === should }));
  if (drawn.every(({ isSame }) => isSame)) return null;
  const [left, right] = heads;
  return drawTree(drawPairs(label, [headOf(left), headOf(right)], drawn), {});
}

function headOf([title, note]: readonly [string, string]): Drawn {
  return ['span', null, ['b', null, title], ' ', ['small', { className: 'soft' }, note]];
}
