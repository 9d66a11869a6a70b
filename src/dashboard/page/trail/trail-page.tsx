import { ArrowLeft, ChevronDown, ChevronUp, Route } from 'lucide-react';
import { useLocation } from 'wouter';
import type { ScaleName } from '../../../control/orders/timeline-scale.ts';
import { useKnownAccount } from '../data/account-and-clock.ts';
import { at, useFilter, useOpened } from '../data/addresses.ts';
import { isModified, isWriting, useEscape, useKeys, useMedia } from '../data/browser.ts';
import { recordSource } from '../data/call-api.ts';
import { type Trail, useNeighbours } from '../data/order-store.ts';
import { useRecord } from '../data/queries.ts';
import { Button, Choices, EmptyState, ErrorNotice, LinkButton, PageHead } from '../pieces/page-parts.tsx';
import { accountName, Badge, counted, exactTime, formatNumber, type Tone } from '../pieces/values.tsx';
import { StepDetail, StepList } from './step-detail.tsx';
import { RequestTools, StepTools, TrailDrawing } from './trail-tools.tsx';
import './trail.css';

const SCALES = Object.entries({ even: 'Even steps', linear: 'True time' });
/** What bars look like, and what that says. */
const LEGEND = Object.entries({ queued: 'queued', rendering: 'rendering', mark: 'made on purpose' });

/** How often an order under way is asked for anew, in milliseconds. */
const AGAIN = 700;

/** One order, by the id of any part of it. */
export default function TrailPage() {
  const { id } = useOpened('trail');
  const path = `/trail/${id}`;
  const { data, error } = useRecord<Trail>(path, { enabled: id !== undefined });
  const isOpen = data?.line.time.is_open === true;
  useRecord<Trail>(path, { enabled: id !== undefined, again: isOpen && AGAIN });
  const [, navigate] = useLocation();
  useEscape(() => navigate(at.live()));
  // What a record says of a later moment is not yet so.
  if (error && (!data || recordSource.value)) return <NoOrder error={error} />;
  if (!data || id === undefined) return <div className="loading fill" role="status" aria-label="Loading" />;
  return <TrailOf key={data.id} trail={data} asked={id} />;
}

function NoOrder({ error }: { error: unknown }) {
  return (
    <>
      <PageHead title="Order" />
      <ErrorNotice error={error} />
      <EmptyState icon={Route} title="This is on no record" inTrace>
        <LinkButton text="Go to Live" href={at.live()} />
      </EmptyState>
    </>
  );
}

function TrailOf({ trail, asked }: { trail: Trail; asked: string }) {
  const [step, choose] = useFilter('step');
  const [scale, setScale] = useFilter('scale', 'even');
  const isNarrow = useMedia('(max-width: 900px)');
  const chosen = trail.steps.find(({ id }) => id === (step || stepAsked(trail, asked)));
  const detail = chosen && <StepDetail trail={trail} step={chosen} tools={<StepTools step={chosen} />} />;
  return (
    <div className="trail-page column fill">
      <TrailHead trail={trail} />
      <div className="row padded soft small fixed">
        <ClockLine trail={trail} />
        <span className="grow" />
        {!isNarrow && LEGEND.map(([look, text]) => <Key key={look} {...{ look, text }} />)}
        {!isNarrow && <Choices label="Scale" value={scale} options={SCALES} onChange={setScale} />}
      </div>
      {!isNarrow && <TrailDrawing trail={trail} scale={scale as ScaleName} chosen={chosen} onChoose={choose} />}
      <div className="trail-below fill">
        <StepList trail={trail} chosen={chosen?.id} onChoose={choose} detail={isNarrow && detail} />
        {!isNarrow && detail}
      </div>
    </div>
  );
}

function Key({ look, text }: { look: string; text: string }) {
  return (
    <span className="row">
      <i className="bar key" data-look={look}>
        <i className="bar-fill" />
      </i>
      {text}
    </span>
  );
}

/** The step of the part by which the order was opened; else that which went wrong first. */
function stepAsked({ steps, chosen, id }: Trail, asked: string): string | null {
  if (asked === id) return chosen;
  const own =
    steps.find((step) => step.id === asked) ??
    steps.find(({ refs }) => refs[0] === asked) ??
    steps.find(({ refs }) => refs.includes(asked));
  return own?.id ?? chosen;
}

function TrailHead({ trail }: { trail: Trail }) {
  const { asked, whose, status } = trail.line;
  const { charged, back } = status.money;
  const account = useKnownAccount(whose.account_id);
  const credits =
    counted(charged, 'credit') + (back === 0 ? '' : `, ${back === charged ? 'all' : formatNumber(back)} came back`);
  const note = [asked.model, asked.what, account && accountName(account), credits].filter(Boolean).join(' · ');
  return (
    <header className="trail-head page-head row wrap ruled fixed">
      <LinkButton text="Back to Live" icon={ArrowLeft} variant="quiet" isSmall href={at.live()} />
      <Neighbours id={trail.id} />
      <div className="trail-title">
        <h1 className="cut" dir="auto" title={trail.title}>
          {trail.title}
        </h1>
        <Badge tone={(trail.tone === 'work' ? 'wait' : trail.tone) as Tone}>{trail.says}</Badge>
        <p className="soft cut">{note}</p>
      </div>
      <div className="trail-acts row wrap">{trail.id.startsWith('req_') && <RequestTools id={trail.id} />}</div>
    </header>
  );
}

/** The orders before and after this one, by buttons and by J and K. */
function Neighbours({ id }: { id: string }) {
  const { newer, older } = useNeighbours(id);
  const [, navigate] = useLocation();
  useKeys((event) => {
    const to = { k: newer, j: older }[event.key];
    if (to && !isModified(event) && !isWriting(event.target)) navigate(at.trail(to));
  });
  const goTo = (to: string | undefined, name: string) =>
    ({ variant: 'quiet', 'aria-label': name, disabled: !to, onClick: () => to && navigate(at.trail(to)) }) as const;
  return (
    <>
      <Button icon={ChevronUp} {...goTo(newer, 'The order after this (K)')} />
      <Button icon={ChevronDown} {...goTo(older, 'The order before this (J)')} />
    </>
  );
}

/** One named clock; the emulator's beside it, where that is another time. */
function ClockLine({ trail }: { trail: Trail }) {
  const { began, emulated } = trail.clock;
  const isOther = emulated !== null && Math.abs(emulated - began) > 1000;
  return (
    <p className="cut">
      Time (this computer) from <strong>{exactTime(began / 1000)}</strong>
      {isOther && ` · emulator’s ${exactTime(emulated / 1000)}`}
    </p>
  );
}
