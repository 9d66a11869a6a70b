import { probeAudio } from '../../media/audio-probe.ts';
import { parseFrameHeader } from '../../media/mp3/frame-header.ts';
import { tagLength } from '../../media/mp3/id3-tag.ts';
import { looksLikeMp4, probeMp4 } from '../../media/mp4/mp4-probe.ts';
import { probePicture } from '../../media/picture-probe.ts';
import type { PlannedCase } from './plan.ts';
import type { RequestValues } from './send-request.ts';
import { type Fact, type ReceivedAnswer, streamed } from './shapes.ts';

/** What a measurement knows at a case. */
interface AtCase {
  /** Ids of the endpoints that it has made, oldest first. */
  endpoints: readonly string[];
  /** The balance before it. */
  before: number | undefined;
  spent: number | undefined;
  values: RequestValues;
}

/** What an answer says beside its fields. */
export function caseFacts(planned: PlannedCase, answer: ReceivedAnswer, known: AtCase): Fact[] {
  if (answer.status >= 300) return [];
  return [
    ...priceFacts(answer, known),
    ...listFacts(planned, answer, known),
    ...streamFacts(answer),
    ...fileFacts(planned, answer, known),
    ...eventFacts(planned, answer, known),
  ];
}

/** What was charged; nothing where that is no number. */
export function priceFact(spent: unknown): Fact[] {
  return typeof spent === 'number' ? [{ what: 'price', path: 'usage.credits_spent', is: `${spent} credits` }] : [];
}

function priceFacts({ json }: ReceivedAnswer, { spent, before }: AtCase): Fact[] {
  const left: unknown = Object(Object(json).usage).credits_remaining;
  if (spent === undefined || typeof left !== 'number' || before === undefined) return priceFact(spent);
  const is = left === before - spent ? 'the balance less the price' : 'another balance';
  return [...priceFact(spent), { what: 'price', path: 'usage.credits_remaining', is }];
}

/** Where what drift has made is in a list: nothing else in it is anybody's business. */
function listFacts({ id }: PlannedCase, { json }: ReceivedAnswer, { endpoints, values }: AtCase): Fact[] {
  const { webhooks, data, events } = Object(json);
  if (id === 'listWebhooks own') return ownFacts('webhooks', webhooks, endpoints);
  if (id === 'listObjects own') return ownFacts('data', data, [values.id ?? '']);
  if (id.startsWith('sampleWebhooks') && Array.isArray(events) && events.length > 3) {
    return [{ what: 'field', path: 'events', is: 'more than 3' }];
  }
  return [];
}

function ownFacts(path: string, list: unknown, made: readonly string[]): Fact[] {
  const listed: unknown[] = Array.isArray(list) ? list.map((each) => Object(each).id) : [];
  const own = listed.filter((id) => typeof id === 'string' && made.includes(id));
  const isPage = listed.length > 0 && listed.length < made.length;
  const some = isPage ? `a page of ${listed.length}` : 'some of its own';
  const facts: Fact[] = [{ what: 'field', path, is: own.length === made.length ? 'all of its own' : some }];
  if (own.length !== made.length) return facts;
  const newestFirst = made.toReversed().every((id, at) => own[at] === id) && listed[0] === made.at(-1);
  return [...facts, { what: 'order', path, is: newestFirst ? 'newest first' : 'another order' }];
}

function streamFacts({ headers, bytes }: ReceivedAnswer): Fact[] {
  if (!headers['content-type']?.startsWith('text/event-stream')) return [];
  const { chunks, end } = streamed(bytes);
  const withUsage = chunks.findIndex((chunk) => Object(chunk).usage !== undefined);
  const where = withUsage === -1 ? 'no' : withUsage === chunks.length - 1 ? 'the last' : 'another';
  return [
    { what: 'order', path: 'chunks', is: `ends ${end}` },
    { what: 'order', path: 'chunks.*.usage', is: `in ${where} chunk` },
  ];
}

function fileFacts({ media }: PlannedCase, { bytes, json }: ReceivedAnswer, { values }: AtCase): Fact[] {
  if (media === undefined) return [];
  // What the record of its job says, in seconds.
  const duration = values.duration === undefined ? undefined : Number(values.duration);
  if (media === 'body') return mediaFacts('file', bytes, duration);
  const encoded: unknown = Object(Object(Object(json).data)[0]).b64_json;
  return typeof encoded === 'string' ? mediaFacts('data.*.b64_json', Buffer.from(encoded, 'base64')) : [];
}

/** The event of a job that has just been polled to its end. */
function eventFacts({ id }: PlannedCase, { json }: ReceivedAnswer, { values }: AtCase): Fact[] {
  if (id !== 'sampleWebhooks take') return [];
  const { events } = Object(json);
  const isThere = Array.isArray(events) && events.some((event) => Object(Object(event).data).id === values.id);
  return [{ what: 'events', path: 'events', is: isThere ? 'there once the job is final' : 'not there' }];
}

/** Container, rate and length of a file, by the bytes alone; `path` says where it was. */
function mediaFacts(path: string, bytes: Buffer, duration?: number): Fact[] {
  return describe(bytes, duration).map((is) => ({ what: 'media', path, is }));
}

/** The first word is what of the file it is about. */
function describe(bytes: Buffer, duration: number | undefined): string[] {
  try {
    if (looksLikeMp4(bytes)) return ['container mp4', `length ${Math.round(probeMp4(bytes).seconds ?? 0)} s`];
    if (looksLikePicture(bytes)) {
      const { format, width, height } = probePicture(bytes);
      return [`container ${format}`, `size ${width} × ${height}`];
    }
    const { format, seconds } = probeAudio(bytes);
    const length = duration === undefined ? [] : [lengthOf(seconds, duration)];
    return [`container ${format}`, ...(format === 'mp3' ? rateOf(bytes) : []), ...length];
  } catch {
    return ['container that is damaged or unknown'];
  }
}

function looksLikePicture(bytes: Buffer): boolean {
  return bytes[0] === 0x89 || (bytes[0] === 0xff && bytes[1] === 0xd8) || bytes.toString('latin1', 8, 12) === 'WEBP';
}

function rateOf(bytes: Buffer): string[] {
  const frame = parseFrameHeader(bytes, tagLength(bytes, 0) ?? 0);
  return frame ? [`rate ${frame.bitrate / 1000} kbps, ${frame.sampleRate} Hz, ${frame.channels} channels`] : [];
}

/** A record may round. */
function lengthOf(seconds: number, duration: number): string {
  return Math.abs(seconds - duration) <= 1 ? 'length as its record says' : 'length other than its record says';
}
