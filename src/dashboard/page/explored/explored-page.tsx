import type { ReactNode } from 'react';
import { drawLanes } from '../../../orders/draw-lanes.ts';
import { drawPairs } from '../../../orders/draw-pairs.ts';
import type { Drawn } from '../../../orders/drawn.ts';
import type { Difference, FindingsFile, RunDrawing, RunPair, ShownFinding } from '../../../trace/findings-file.ts';
import { Code } from '../pieces/ids.tsx';
import { drawTree } from '../pieces/page-parts.tsx';
import { Badge } from '../pieces/values.tsx';
import '../trail/trail.css';
import '../compare/compare.css';
import './explored.css';

/** The report of explore: each finding with its schedule, the failing run, and what shows it again. */
export default function ExploredPage({ findings }: FindingsFile) {
  const { command, sum, error, shown, tried } = findings;
  const found = shown.filter(({ isUnstable }) => !isUnstable).length;
  const count = found === 0 ? 'No findings' : `${found} finding${found === 1 ? '' : 's'}`;
  return (
    <div className="explored">
      <header className="row wrap padded ruled sunken">
        <h1>
          {count} <span className="soft">in</span> <code className="soft">{command}</code>
        </h1>
        <p className="soft">{sum}</p>
        {error && <Lines text={error} />}
      </header>
      <div className="explored-grid">
        <nav aria-label="Findings">
          <Contents findings={findings} />
        </nav>
        <main>
          {shown.map((finding) => (
            <Finding key={finding.token} finding={finding} />
          ))}
          <Part title="By deviation">
            <Table
              heads={['Deviation', 'Run', 'Failed']}
              rows={tried.map((each) => [each.name, each.run, each.failed])}
            />
          </Part>
        </main>
      </div>
    </div>
  );
}

function Contents({ findings: { shown, tried } }: FindingsFile) {
  const calm = tried.filter(({ failed }) => failed === 0).map(({ name }) => name);
  const list = (title: string, some: readonly ShownFinding[]) =>
    some.length > 0 && (
      <>
        <h2 className="soft small">{title}</h2>
        <ul>
          {some.map(({ token, title: name, kind, seen }) => (
            <li key={token}>
              <a href={`#${token}`}>
                {name} <small className="soft">{`${kind}, ${seen}`}</small>
              </a>
            </li>
          ))}
        </ul>
      </>
    );
  return (
    <>
      {list(
        'Findings',
        shown.filter(({ isUnstable }) => !isUnstable),
      )}
      {list(
        'Unstable',
        shown.filter(({ isUnstable }) => isUnstable),
      )}
      {calm.length > 0 && <h2 className="soft small">Tried, none failed</h2>}
      {calm.length > 0 && <p className="soft small">{calm.join(', ')}</p>}
    </>
  );
}

function Finding({ finding }: { finding: ShownFinding }) {
  const { token, kind, message, failed, seen, isUnstable, entries, differences, drawing, trail, output } = finding;
  return (
    <article id={token}>
      <header className="padded ruled">
        <p className="row wrap soft">
          <Badge tone={isUnstable ? 'wait' : 'bad'}>{kind}</Badge> <span>{failed}</span> <span>{seen}</span>
        </p>
        <h2>{message}</h2>
      </header>
      <Halves>
        <Part title="The schedule">
          <ol className="entries">
            {entries.map(({ words, name, section }, at) => (
              <li key={name}>
                <span className="sign">{at + 1}</span>
                <span>
                  {words}
                  <code className="soft">{name}</code>
                  <small className="soft">How a client deals with it: {section}</small>
                </span>
              </li>
            ))}
          </ol>
        </Part>
        <Part title="What failed">
          {differences.length === 0 ? <p>{finding.meaning}</p> : <StateTable differences={differences} />}
          {differences.length === 0 && finding.lines !== '' && <Lines text={finding.lines} />}
        </Part>
      </Halves>
      {drawing && <Part title="The trail of the failing run">{drawRun(drawing)}</Part>}
      {drawBoth(finding.pairs)}
      {trail.length > 0 && (
        <details className="padded ruled">
          <summary>What happened, in its order</summary>
          <Lines text={trail.join('\n')} />
        </details>
      )}
      <Halves>
        <Part title="Run it again">
          <Code text={finding.again} label="The command" />
          {output.trim() !== '' && <h3>What it printed at the end</h3>}
          {output.trim() !== '' && <Lines text={output.trimEnd()} />}
        </Part>
        <Part title="Keep it as a test">
          <Code text={finding.test} label="The test" />
        </Part>
      </Halves>
    </article>
  );
}

function Halves({ children }: { children: ReactNode }) {
  return <div className="halves ruled">{children}</div>;
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="padded">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Lines({ text }: { text: string }) {
  return (
    <pre className="framed sunken" tabIndex={0}>
      {text}
    </pre>
  );
}

const MOST_DIFFERENCES = 12;

function StateTable({ differences }: { differences: readonly Difference[] }) {
  const rows = differences
    .slice(0, MOST_DIFFERENCES)
    .map(({ path, was, is }) => [path, was, <mark key="is">{is}</mark>]);
  return <Table heads={['The app’s own state', 'Undisturbed', 'Here']} rows={rows} />;
}

/** The first cell of a row is its head. */
function Table({ heads, rows }: { heads: readonly string[]; rows: readonly (readonly ReactNode[])[] }) {
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
          <tr key={String(name)}>
            <th scope="row">
              <code>{name}</code>
            </th>
            {values.map((value, at) => (
              <td key={heads[at + 1]}>{value}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const NO_ICON = { 'lane-icon': () => null };

/** The failing run as an order is drawn, without what can be clicked. */
function drawRun(drawing: RunDrawing): ReactNode {
  const label = 'The failing run on one axis of time; the list below says the same';
  const look = { scale: 'even', attributes: { role: 'img', 'aria-label': label } } as const;
  return drawTree(
    drawLanes(drawing, {
      ...look,
      bar: ['span', { className: 'bar' }],
      inBar: ({ sign }) => (sign === undefined ? [] : [['span', { className: 'sign' }, String(sign)]]),
    }),
    NO_ICON,
  );
}

/** What the app did beside what should have come; nothing where both are the same. */
function drawBoth(pairs: readonly RunPair[]): ReactNode {
  const drawn = pairs.map(({ did, should }) => ({ sides: [did, should] as const, isSame: did === should }));
  if (drawn.every(({ isSame }) => isSame)) return null;
  const heads = [
    headOf('What happened here', 'the run that failed'),
    headOf('What should have come', 'an undisturbed run of the same outcome'),
  ] as const;
  return drawTree(drawPairs('The failing run beside an undisturbed one', heads, drawn), {});
}

function headOf(title: string, note: string): Drawn {
  return ['span', null, ['b', null, title], ' ', ['small', { className: 'soft' }, note]];
}
