import { counted } from '../../log/counted.ts';
import { type Answer, type Asked, isJson, type Json } from './lie.ts';

/** What a value that is made for an answer depends on. */
export type OverlayGiven = Pick<Asked, 'now' | 'baseUrl' | 'path'>;

/** What changes of an answer; of streams and events the body alone. */
export interface OverlayChange {
  status?: number;
  /** Without a value it is left out. */
  header?: { name: string; value: string | undefined };
  /** The changed JSON; undefined where there is nothing to change. */
  body?: (body: unknown, given: OverlayGiven) => unknown;
}

/** What differs there, in types, forms and closed words. */
export interface OverlayFacts {
  /** An operationId, `event` and its type, or `every refusal`. */
  at: string;
  what: string;
  path?: string;
  there?: string;
  here?: string;
  choice?: string;
}

/** One place at which the emulator answers as was measured. */
export interface OverlaySite {
  facts: OverlayFacts;
  /** In a few words, for lists. */
  words: string;
  /** Of an operation: `GET` and `/v1/music/generations/{id}`. */
  method?: string;
  route?: string;
  /** The answer of the emulator that it is about; of every refusal none of the three. */
  status?: number;
  code?: string;
  /** Of a job: its status. */
  states?: readonly string[];
  isRefusal: boolean;
  isStream: boolean;
  change: OverlayChange;
}

/** What one overlay is made of. */
export interface OverlayParts {
  /** The name of the file, without its folder. */
  file: string;
  /** ISO time, and the origin that was measured. */
  measured: string;
  against: string;
  sites: readonly OverlaySite[];
  /** Sentences: the age of the file, and what is not imitated. */
  warnings: readonly string[];
}

/** The site of what every operation refuses alike. */
export const EVERY_REFUSAL = 'every refusal';
/** The id of an event that never was begins so. */
const EXAMPLE = 'evt_sample_';
/** So many are named in a line. */
const NAMED = 5;

/** Where a service was measured to differ from choices of the emulator, and how answers and events leave instead. */
export class Overlay {
  readonly parts: OverlayParts;

  constructor(parts: OverlayParts) {
    this.parts = parts;
  }

  /** In one line. */
  get line(): string {
    const { file, sites } = this.parts;
    return `overlay: ${counted(sites.length, 'site')} of ${file}${sites.length > 0 ? ': ' : ''}${named(sites.map(({ words }) => words))}`;
  }

  /** The answer as was measured; the true one where nothing of it differs. */
  answer(truth: Answer, asked: Pick<Asked, 'operation'> & OverlayGiven): Answer {
    const code = isJson(truth.body) && isJson(truth.body.error) ? truth.body.error.code : undefined;
    const status = isJson(truth.body) ? truth.body.status : undefined;
    const isAbout = (site: OverlaySite) =>
      !site.isStream &&
      (site.facts.at === asked.operation || (site.facts.at === EVERY_REFUSAL && truth.status >= 400)) &&
      (site.status ?? truth.status) === truth.status &&
      (site.code ?? code) === code &&
      (site.states === undefined || site.states.includes(String(status)));
    const answer = this.parts.sites.filter(isAbout).reduce((was, { change }) => changed(was, change, asked), truth);
    return asked.operation === 'sampleWebhooks' ? this.#withExample(answer, asked) : answer;
  }

  /** Samples are events as they were sent, but for an example that was made up. */
  #withExample(answer: Answer, given: OverlayGiven): Answer {
    const [example] = isJson(answer.body) && Array.isArray(answer.body.events) ? answer.body.events : [];
    if (!isJson(example) || !String(example.id).startsWith(EXAMPLE)) return answer;
    const event = this.event(example, given);
    return event === example ? answer : { ...answer, body: { ...Object(answer.body), events: [event] } };
  }

  /** The events of a stream, without `[DONE]`. */
  stream(chunks: readonly Json[], asked: Pick<Asked, 'operation'> & OverlayGiven): readonly Json[] {
    const sites = this.parts.sites.filter(({ facts, isStream }) => isStream && facts.at === asked.operation);
    const body = sites.reduce<unknown>((before, { change }) => change.body?.(before, asked) ?? before, { chunks });
    return (body as { chunks: readonly Json[] }).chunks;
  }

  event<Event extends object>(envelope: Event & { type?: unknown }, given: OverlayGiven): Event {
    const sites = this.parts.sites.filter(({ facts }) => facts.at === `event ${envelope.type}`);
    return sites.reduce(
      (before, { change }) => (change.body?.(before, given) as Event | undefined) ?? before,
      envelope as Event,
    );
  }
}

function changed(answer: Answer, { status, header, body }: OverlayChange, given: OverlayGiven): Answer {
  const { [header?.name ?? '']: _was, ...others } = answer.headers;
  const { name, value } = header ?? {};
  return {
    ...answer,
    ...(header && { headers: name && value !== undefined ? { ...others, [name]: value } : others }),
    ...(status !== undefined && { status }),
    ...(body && answer.body !== undefined && { body: body(answer.body, given) ?? answer.body }),
  };
}

/** The first few of a list, and how many more there are. */
export function named(names: readonly string[]): string {
  const more = names.length - NAMED;
  return more > 0 ? `${names.slice(0, NAMED).join(', ')} and ${more} more` : names.join(', ');
}
