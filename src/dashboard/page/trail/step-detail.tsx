import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { offsetText } from '../../../orders/time-scale.ts';
import type { MadeFile, Step, Trail } from '../data/order-store.ts';
import { at, pathOf } from '../data/paths.ts';
import { stableUrls } from '../data/stable-urls.ts';
import { shortId } from '../pieces/ids.tsx';
import { MediaView } from '../pieces/media-view.tsx';
import { TimeOfDay } from '../pieces/values.tsx';
import { StepBytes } from './step-bytes.tsx';

interface StepDetailProps {
  trail: Trail;
  step: Step;
  /** What can be done from here. */
  tools: ReactNode;
}

/** What the chosen step is about: its sentences, what can be done, every part of the order, and the bytes. */
export function StepDetail({ trail, step, tools }: StepDetailProps) {
  const made = trail.made.filter(({ job_id }) => step.refs.includes(job_id) && step.kind !== 'began');
  return (
    <section className="step-detail stack grow scrolls" aria-label="The chosen step">
      <h2 className="row wrap">
        <span className="badge" data-tone={step.tone}>
          {offsetText(step.at)}
        </span>
        <span dir="auto">{step.text}</span>
      </h2>
      {saidOf(trail, step).map((text) => (
        <p key={text} dir="auto">
          <LinkedText text={text} />
        </p>
      ))}
      <div className="row wrap">{tools}</div>
      <Parts trail={trail} />
      {step.kind === 'succeeded' && made.map((file) => <Made key={file.library_id} file={file} title={trail.title} />)}
      <StepBytes step={step} />
    </section>
  );
}

function Made({ file, title }: { file: MadeFile; title: string }) {
  return (
    <div className="step-made">
      <MediaView
        url={stableUrls.of(file.url)}
        contentType={file.content_type}
        label={title.slice(0, 120)}
        poster={stableUrls.of(file.thumbnail_url)}
      />
      <Link className="named mono" href={at.gallery(file.library_id)}>
        Open in the gallery
      </Link>
    </div>
  );
}

/** Which chapters of the story a step is told by. */
const CHAPTERS: Record<Step['kind'], readonly string[]> = {
  ordered: ['received', 'validated', 'refused', 'directives', 'fixtures'],
  fault: ['faults'],
  charged: ['price', 'charged'],
  refunded: ['refunded'],
  answered: ['answered'],
  began: ['job'],
  failed: ['render', 'settled'],
  succeeded: ['render', 'settled'],
  read: [],
  told: ['events', 'deliveries'],
  delivered: ['delivery'],
  clock: [],
  note: [],
  waits: ['run'],
};

/** These say nothing where there is nothing to say. */
const SILENT = ['No text carries', '0 scripted answers', 'Nothing was charged'];

function saidOf({ explained }: Trail, { kind, refs }: Step): string[] {
  const told = explained.filter(({ step }) => CHAPTERS[kind].includes(step));
  const own = told.filter(({ job_id, delivery_id }) => isOf(job_id, refs) && isOf(delivery_id, refs));
  const texts = own.map(({ text }) => text).filter((text) => !SILENT.some((silent) => text.startsWith(silent)));
  return [...new Set(texts)];
}

function isOf(id: unknown, refs: readonly string[]): boolean {
  return typeof id !== 'string' || refs.includes(id);
}

const KINDS: readonly (readonly [string, string])[] = [
  ['req_', 'Requests'],
  ['job_', 'Jobs'],
  ['le_', 'Ledger entries'],
  ['lib_', 'Renders'],
  ['evt_', 'Events'],
  ['dlv_', 'Deliveries'],
  ['run_', 'Run'],
  ['we_', 'Endpoints'],
  ['flt_', 'Fault'],
];
/** How many of a kind are named. */
const MOST = 12;

/** Every id of the order: each leads to its step, or to its own page. */
function Parts({ trail }: { trail: Trail }) {
  const ids = [...new Set(trail.steps.flatMap(({ refs }) => refs))];
  return (
    <nav className="parts row wrap soft" aria-label="Parts of this order">
      {KINDS.map(([prefix, name]) => {
        const own = ids.filter((id) => id.startsWith(prefix));
        if (own.length === 0) return null;
        return (
          <span key={prefix} className="row wrap">
            {name}
            {own.slice(0, MOST).map((id) => (
              <Link key={id} className="named mono" href={addressIn(trail, id)} title={id} replace>
                <code>{shortId(id)}</code>
              </Link>
            ))}
            {own.length > MOST && ` and ${own.length - MOST} more`}
          </span>
        );
      })}
    </nav>
  );
}

function addressIn(trail: Trail, id: string): string {
  const step = trail.steps.find((each) => each.id === id) ?? trail.steps.find(({ refs }) => refs[0] === id);
  const isElsewhere = id.startsWith('lib_') || id.startsWith('we_') || id.startsWith('run_') || id.startsWith('flt_');
  if (!step || isElsewhere) return pathOf(id) ?? at.trail(id);
  return `${at.trail(trail.id)}?step=${step.id}`;
}

const NAMES = /\b([a-z]{2,8}_[0-9a-z]{16,32})\b|\b(\d{4}-\d\d-\d\dT[\d:.]+Z)/g;

/** A sentence of the emulator: ids in it lead to what they name, times are short. */
function LinkedText({ text }: { text: string }) {
  const found = [...text.matchAll(NAMES)];
  const ends = found.map(({ index, 0: name }) => index + name.length);
  return (
    <>
      {found.map(({ index, 1: id, 2: time }, position) => (
        <Fragment key={index}>
          {text.slice(ends[position - 1] ?? 0, index)}
          {time ? <TimeOfDay at={Date.parse(time) / 1000} /> : <Named id={id ?? ''} />}
        </Fragment>
      ))}
      {text.slice(ends.at(-1) ?? 0)}
    </>
  );
}

function Named({ id }: { id: string }) {
  const place = pathOf(id);
  if (!place) return <code title={id}>{shortId(id)}</code>;
  return (
    <Link className="named mono" href={place} title={id}>
      {shortId(id)}
    </Link>
  );
}
