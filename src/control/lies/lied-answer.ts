import type { ActiveLie } from './active-lie.ts';
import { fieldsOf } from './form.ts';
import type { Answer, Asked, EventEnvelope, EventFacts, Json, Occasion } from './lie.ts';
import type { Lies } from './lies.ts';

type Facts = Omit<Asked, 'lie' | 'field' | 'memory'>;

/** What is sent in place of the truth, and by which lies. */
export interface Found<Truth> {
  sent: Truth;
  by: ActiveLie[];
}

/** The answer that leaves in place of a true one; undefined where it stays as it is. */
export function liedAnswer(lies: Lies, truth: Answer, facts: Facts): Found<Answer> | undefined {
  const { body, status } = truth;
  const fields = () => (status < 300 ? fieldsOf(body) : []);
  return lied(lies, truth, { facts, fields }, (lie, answer, asked) => lies.actors.get(lie)?.answer?.(answer, asked));
}

/** The events of a stream that leave in place of true ones. */
export function liedStream(lies: Lies, truth: readonly Json[], facts: Facts): Found<readonly Json[]> | undefined {
  const fields = () => fieldsOf(truth.at(-1));
  return lied(lies, truth, { facts, fields }, (lie, chunks, asked) => lies.actors.get(lie)?.stream?.(chunks, asked));
}

type EventOccasion = Omit<EventFacts, 'lie' | 'field'>;

/** The event that is sent in place of a true one; `none` where it is not. */
export function liedEvent(
  lies: Lies,
  truth: EventEnvelope,
  facts: EventOccasion,
): Found<EventEnvelope | 'none'> | undefined {
  const fields = () => fieldsOf(truth);
  return lied<EventEnvelope | 'none', EventOccasion>(lies, truth, { facts, fields }, (lie, event, about) =>
    event === 'none' ? undefined : wanted(lies.actors.get(lie)?.event?.(event, about), about),
  );
}

/** What no endpoint gets cannot be lied about; of what is not sent, what one would have got. */
function wanted(sent: EventEnvelope | 'none' | undefined, { wants, event = '' }: EventOccasion) {
  return sent && wants(sent === 'none' ? event : sent.type) ? sent : undefined;
}

interface About<Given> {
  facts: Given;
  /** The fields that a lie of one field could change. */
  fields: () => readonly string[];
}

type Act<Truth, Given> = (
  lie: string,
  truth: Truth,
  asked: Given & { lie: string; field?: string | undefined; memory: Map<string, number> },
) => Truth | undefined;

/** Notes which lies could act on the truth, and has those act that are armed, one after another. */
function lied<Truth, Given extends Occasion>(
  lies: Lies,
  truth: Truth,
  { facts, fields }: About<Given>,
  act: Act<Truth, Given>,
): Found<Truth> | undefined {
  if (lies.observes) observe(lies, truth, { facts, fields }, act);
  const by: ActiveLie[] = [];
  let now = truth;
  for (const each of lies.facing(facts.accountId)) {
    const next = act(each.lie, now, { ...facts, lie: each.lie, field: each.field, memory: each.memory });
    if (next === undefined || !lies.claims(each, facts)) continue;
    now = next;
    by.push(each);
  }
  return by.length > 0 ? { sent: now, by } : undefined;
}

function observe<Truth, Given extends Occasion>(
  lies: Lies,
  truth: Truth,
  { facts, fields }: About<Given>,
  act: Act<Truth, Given>,
): void {
  for (const lie of lies.actors.keys()) {
    const ofFields = lie.startsWith('field.') ? fields() : [undefined];
    for (const field of ofFields) {
      const memory = lies.memoryOf(lie);
      if (act(lie, truth, { ...facts, lie, field, memory }) !== undefined) lies.note(lie, field, facts);
    }
  }
}
