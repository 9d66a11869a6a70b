import type {
  ReportArticle,
  ReportBlock,
  ReportFile,
  ReportPart,
  RunDrawing,
} from '../../../control/orders/report-file.ts';
import { Badge, Code } from '../pieces/values.tsx';
import '../trail/trail.css';
import './pairs.css';
import './report.css';
import type { ReactNode } from 'react';
import { type Drawn, drawLanes, drawPairs } from '../../../control/orders/draw-lanes.ts';
import { drawTree } from '../pieces/page-parts.tsx';

/** The report of explore or mutate: each finding with the runs that show it, and what shows it again. */
export default function ReportPage({ report }: ReportFile) {
  const { title, command, sum, error, groups, parts } = report;
  return (
    <div className="report">
      <header className="row wrap padded ruled sunken">
        <h1>
          {title} <span className="soft">in</span> <code className="soft">{command}</code>
        </h1>
        <p className="soft">{sum}</p>
        {error && <Lines text={error} />}
      </header>
      <div className="report-grid">
        <Contents report={report} />
        <main>
          {groups.flatMap(({ articles }) => articles.map((article) => <Article key={article.id} article={article} />))}
          {parts.map((part) => (
            <Part key={part.title} part={part} />
          ))}
        </main>
      </div>
    </div>
  );
}

function Contents({ report: { groups, note } }: ReportFile) {
  return (
    <nav aria-label="Findings">
      {groups
        .filter(({ articles }) => articles.length > 0)
        .map(({ title, articles }) => (
          <div key={title}>
            <h2 className="soft small">{title}</h2>
            <ul>
              {articles.map((each) => (
                <li key={each.id}>
                  <a href={`#${each.id}`}>
                    {each.title} <small className="soft">{each.note}</small>
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      {note && <h2 className="soft small">{note.title}</h2>}
      {note && <p className="soft small">{note.text}</p>}
    </nav>
  );
}

function Article({ article: { id, badge, notes, heading, rows } }: { article: ReportArticle }) {
  return (
    <article id={id}>
      <header className="padded ruled">
        <p className="row wrap soft">
          <Badge tone={badge.tone}>{badge.text}</Badge>
          {notes.map((note) => (
            <span key={note}>{note}</span>
          ))}
        </p>
        <h2>{heading}</h2>
      </header>
      {rows.map((parts) => (
        <div
          key={parts.map(({ title, blocks }) => title ?? blocks[0]?.kind).join()}
          className={parts.length > 1 ? 'halves ruled' : 'ruled'}
        >
          {parts.map((part) => (
            <Part key={part.title} part={part} />
          ))}
        </div>
      ))}
    </article>
  );
}

function Part({ part: { title, blocks } }: { part: ReportPart }) {
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

function Lines({ text, fold }: { text: string; fold?: string }) {
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
            <small className="soft">How to fix it: {section}</small>
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
