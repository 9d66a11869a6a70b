import './compare.css';
import { Columns2, FileUp, Undo2 } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { type Drawn, drawPairs } from '../../../control/orders/draw-lanes.ts';
import { lengthText } from '../../../control/orders/timeline-scale.ts';
import type { AnswerDifference } from '../../../control/trace/answer-differences.ts';
import { type Both, type Comparison, compareRuns, type RunStep } from '../../../control/trace/compare-runs.ts';
import type { TraceFile, TraceHead } from '../../../control/trace/trace-file.ts';
import { at } from '../data/addresses.ts';
import { useStore } from '../data/browser.ts';
import { recordSource } from '../data/call-api.ts';
import { readTrace, secondRun } from '../data/playback.ts';
import {
  Button,
  drawTree,
  EmptyState,
  Facts,
  Figure,
  Figures,
  FileButton,
  PageHead,
  showError,
} from '../pieces/page-parts.tsx';
import { formatNumber, type Tone, Toned } from '../pieces/values.tsx';

export default function ComparePage() {
  const other = useStore(secondRun);
  const own = useStore(recordSource)?.trace;
  const [isSwapped, setSwapped] = useState(false);
  const choice = other ? 'Another file' : 'Choose the second trace';
  const sides = own && other && (isSwapped ? ([other.trace, own] as const) : ([own, other.trace] as const));
  return (
    <>
      <PageHead title="Two runs">
        <span className="grow" />
        {other && (
          <Button text="Swap sides" icon={Undo2} aria-pressed={isSwapped} onClick={() => setSwapped(!isSwapped)} />
        )}
        <FileButton
          {...{ text: choice, label: choice, icon: FileUp, accept: '.html,text/html' }}
          onChoose={([file]) => void (file && readSecondRun(file))}
        />
      </PageHead>
      {sides ? (
        <BothRuns one={sides[0]} other={sides[1]} isSwapped={isSwapped} />
      ) : (
        <EmptyState icon={Columns2} title="There is one run so far" inTrace>
          <p>Drop a second trace onto this page: it is read here, and goes nowhere.</p>
        </EmptyState>
      )}
    </>
  );
}

function BothRuns({ one, other, isSwapped }: { one: TraceFile; other: TraceFile; isSwapped: boolean }) {
  const compared = useMemo(() => compareRuns(one, other), [one, other]);
  return (
    <div className="two-runs measured fill scrolls">
      <CompareFigures compared={compared} />
      <div className="compare-parts">
        <StepPairs compared={compared} heads={[one.head, other.head]} own={isSwapped ? 'b' : 'a'} />
        <div>
          <section className="padded ruled" aria-label="Why">
            <h2>Where they part, and why</h2>
            <p>{compared.why}</p>
          </section>
          <BothTable title="Credits by model" rows={compared.spend.byModel} />
          <BothTable title="Answers that differ" rows={compared.answers} />
          <FieldTable rows={compared.fields} alike={compared.alike} />
        </div>
      </div>
    </div>
  );
}

/** A trace that is dropped anywhere on the page is laid beside this one. */
export function DropRun() {
  const [, navigate] = useLocation();
  useEffect(() => {
    const allow = (event: DragEvent) => event.preventDefault();
    const take = async (event: DragEvent) => {
      event.preventDefault();
      const [file] = event.dataTransfer?.files ?? [];
      if (file && (await readSecondRun(file))) navigate(at.compare());
    };
    const drop = (event: DragEvent) => void take(event);
    window.addEventListener('dragover', allow);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', allow);
      window.removeEventListener('drop', drop);
    };
  }, [navigate]);
  return null;
}

async function readSecondRun(file: File): Promise<boolean> {
  try {
    // Parsed only: nothing of another file's page is run.
    const page = new DOMParser().parseFromString(await file.text(), 'text/html');
    secondRun.set({ trace: await readTrace(page), file: file.name });
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
}

interface StepPairsProps {
  compared: Comparison;
  heads: readonly [TraceHead, TraceHead];
  /** The side of this page's own run: its steps open as their orders. */
  own: 'a' | 'b';
}

function StepPairs({ compared: { pairs }, heads, own }: StepPairsProps) {
  const sidesOf = ({ a, b }: Comparison['pairs'][number]) =>
    [a && stepOf(a, own === 'a'), b && stepOf(b, own === 'b')] as const;
  const drawn = pairs.map((pair) => ({ sides: sidesOf(pair), isSame: pair.isSame }));
  const names = [nameOf(heads[0], own === 'a'), nameOf(heads[1], own === 'b')] as const;
  return drawTree(drawPairs('Steps of both runs', names, drawn), { link: Link });
}

function nameOf({ title, exit, span, failure }: TraceHead, isOwn: boolean): Drawn {
  const whose = isOwn ? 'this run' : 'the other';
  const about = [whose, exit === null ? '' : `exit ${exit}`, lengthText(span.ended - span.began), failure ?? ''];
  return ['span', null, ['b', null, title], ['small', { className: 'soft' }, about.filter(Boolean).join(' · ')]];
}

function stepOf({ at: when, what, came, id, order }: RunStep, isOwn: boolean): Drawn {
  const name: Drawn = isOwn ? ['link', { href: at.trail(id) }, what] : what;
  const time: Drawn = ['span', { className: 'soft fixed' }, `+${(when / 1000).toFixed(3)}`];
  const look = { className: 'row', 'data-follows': id === order ? undefined : '' };
  return ['span', look, time, ' ', name, ' ', ['b', null, came]];
}

function CompareFigures({ compared: { pairs, parted, spend, answers } }: { compared: Comparison }) {
  const [a, b] = [pairs.filter((pair) => pair.a).length, pairs.filter((pair) => pair.b).length];
  const first = pairs[parted];
  const of = `of ${formatNumber(pairs.length)}`;
  const place = first
    ? [formatNumber(parted + 1), `${of}: ${(first.a ?? first.b)?.what}`, 'bad']
    : ['None', of, 'good'];
  const figures = [
    ['First step that differs', ...place],
    ['Credits, net', `${formatNumber(spend.a)} · ${formatNumber(spend.b)}`, signed(spend.b - spend.a)],
    ['Steps', `${formatNumber(a)} · ${formatNumber(b)}`, signed(b - a)],
    ['Answers that differ', formatNumber(answers.length), answers.length === 1 ? 'kind' : 'kinds'],
  ];
  return (
    <Figures>
      {figures.map(([name = '', value, note, tone]) => (
        <Figure key={name} name={name} note={note}>
          <Toned tone={tone as Tone | undefined}>{value}</Toned>
        </Figure>
      ))}
    </Figures>
  );
}

function signed(n: number): string {
  if (n === 0) return 'the same';
  return n > 0 ? `${formatNumber(n)} more` : `${formatNumber(-n)} fewer`;
}

function BothTable({ title, rows }: { title: string; rows: readonly Both[] }) {
  return (
    <section className="compare-table padded ruled" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p className="soft">None.</p>
      ) : (
        <table>
          <thead>
            <tr>
              {['What', 'Left', 'Right', 'More'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, a, b }) => (
              <tr key={name} data-differs={a === b ? undefined : ''}>
                <th scope="row">{name}</th>
                <td>{formatNumber(a)}</td>
                <td>{formatNumber(b)}</td>
                <td>{a === b ? 'same' : `${b > a ? '+' : '−'}${formatNumber(Math.abs(b - a))}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function FieldTable({ rows, alike }: { rows: readonly AnswerDifference[]; alike: number }) {
  return (
    <section className="compare-table padded" aria-label="What answers say">
      <h2>What answers say</h2>
      {[...Map.groupBy(rows, ({ what }) => what)].map(([what, fields]) => (
        <div key={what} className="section">
          <h3 className="mono">{what}</h3>
          {fields.map(({ field, a, b, times }) => (
            <div key={field} className="section">
              <h4 className="strong">
                {field || 'the answer'}
                {times > 1 && <span className="soft"> in {times} answers, first</span>}
              </h4>
              <Facts facts={{ Left: <code>{a ?? 'absent'}</code>, Right: <code>{b ?? 'absent'}</code> }} />
            </div>
          ))}
        </div>
      ))}
      <p className="soft">
        {formatNumber(alike)} {alike === 1 ? 'kind of request was' : 'kinds of requests were'} answered the same, but
        for ids, addresses and times.
      </p>
    </section>
  );
}
