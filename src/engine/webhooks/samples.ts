import { isoTime, unixSeconds } from '../../base/clock/clock.ts';
import type { Reader } from '../../base/database/reader.ts';
import { invalidRequestError } from '../../base/errors.ts';
import { requireFlowOfWorkspace } from './endpoint-store.ts';
import { type Envelope, isFlowEvent, type ServiceEventType } from './event-schemas.ts';
import { readRecentEventBodies } from './webhook-list-store.ts';

const MAX_SAMPLES = 3;

export interface SamplesOptions {
  workspaceId: string;
  type: ServiceEventType;
  flowId?: string;
  /** Without a slash at the end. */
  baseUrl: string;
}

export function checkFlowIdFitsEvent(type: ServiceEventType, flowId: string | undefined): void {
  if (flowId === undefined || isFlowEvent(type)) return;
  throw invalidRequestError(
    'flow_id',
    `flow_id is only for flow.run.* events, and event is ${type}. Leave flow_id out, or ask for a flow.run.* event.`,
    'C158',
  );
}

export function readEventSamples(db: Reader, now: number, options: SamplesOptions): Envelope[] {
  const { workspaceId, type, flowId, baseUrl } = options;
  const flow = flowId === undefined ? undefined : requireFlowOfWorkspace(db, workspaceId, flowId);
  const bodies = readRecentEventBodies(db, { workspaceId, type, flowId }, MAX_SAMPLES);
  if (bodies.length > 0) return bodies.map((body) => JSON.parse(body));
  const data = exampleEventData({ type, baseUrl, now, flow });
  const id = `evt_sample_${type.replaceAll('.', '_')}`;
  return [{ id, type, created: unixSeconds(now), data }];
}

interface ExampleOptions {
  type: ServiceEventType;
  baseUrl: string;
  /** The emulator's time, in milliseconds. */
  now: number;
  flow?: { id: string; name: string };
}

type Data = Record<string, unknown>;
type MediumOf<Type> = Type extends `${infer Medium}.generation.${string}` ? Medium : never;
type OutcomeOf<Type> = Type extends `flow.run.${infer Outcome}` ? Outcome : never;
type Medium = MediumOf<ServiceEventType>;
type RunOutcome = OutcomeOf<ServiceEventType>;

const MEDIA: Record<Medium, { model: string; content_type: string; file: ExampleFile }> = {
  image: { model: 'svc-image-one', content_type: 'image/png', file: 'image.png' },
  video: { model: 'svc-motion-one', content_type: 'video/mp4', file: 'clip.mp4' },
  music: { model: 'svc-music-one', content_type: 'audio/mpeg', file: 'take-1.mp3' },
};
const TAKE = { take: 1, seed: 7 };
const SIGNED_FOR_SECONDS = 7 * 24 * 3600;
const RUN_MS = 42_000;

export function exampleEventData(options: ExampleOptions): Data {
  const [subject, , outcome] = options.type.split('.');
  if (isFlowEvent(options.type)) return flowData(options, outcome as RunOutcome);
  return generationData(options, subject as Medium, outcome === 'failed');
}

function generationData(options: ExampleOptions, medium: Medium, failed: boolean): Data {
  const { model, content_type, file } = MEDIA[medium];
  const take = medium === 'music' ? TAKE : {};
  const start = { id: 'job_sample', model, ...take };
  if (failed) {
    const message = 'The render failed; its credits were given back.';
    return { ...start, error: { code: 'render_failed', message } };
  }
  const result_url = signedUrl(options, file);
  return { ...start, content_type, result_url, library_id: 'lib_sample' };
}

function flowData(options: ExampleOptions, outcome: RunOutcome): Data {
  const flow = options.flow ?? { id: 'flow_sample', name: 'Sample flow' };
  return { flow, run: runOf(options, outcome), ...RESULTS[outcome](options) };
}

function runOf({ now }: ExampleOptions, outcome: RunOutcome): Data {
  return {
    id: 'run_sample',
    status: { succeeded: 'done', failed: 'failed', waiting: 'waiting' }[outcome],
    source: 'webhook',
    credits: outcome === 'failed' ? 3 : 103,
    startedAt: isoTime(now - RUN_MS),
    finishedAt: outcome === 'waiting' ? null : isoTime(now),
    inputs: { topic: 'a lighthouse in the fog' },
  };
}

const RESULTS: Record<RunOutcome, (options: ExampleOptions) => Data> = {
  succeeded: (options) => ({ outputs: [textOutput(), videoOutput(options)] }),
  failed: () => ({
    outputs: [textOutput()],
    failure: { step: 2, nodeId: 'clip', type: 'video', message: 'The render failed.' },
  }),
  waiting: (options) => ({
    outputs: [textOutput(), videoOutput(options)],
    waiting: {
      step: 3,
      nodeId: 'publish',
      type: 'post',
      postId: 'post_sample',
      text: 'Fog rolls in, and the lamp answers.',
      url: signedUrl(options, 'clip.mp4'),
    },
  }),
};

function textOutput(): Data {
  const text = 'Fog rolls in, and the lamp answers.';
  return { step: 1, nodeId: 'caption', type: 'text', kind: 'text', text };
}

function videoOutput(options: ExampleOptions): Data {
  const url = signedUrl(options, 'clip.mp4');
  return { step: 2, nodeId: 'clip', type: 'video', kind: 'video', url, creationId: 'lib_sample' };
}

export const SAMPLE_EVENT_FILES = ['image.png', 'clip.mp4', 'take-1.mp3'] as const;

type ExampleFile = (typeof SAMPLE_EVENT_FILES)[number];

/** The CDN serves this URL without checking its signature. */
function signedUrl({ baseUrl, now }: ExampleOptions, file: ExampleFile): string {
  const expires = Math.floor(now / 1000) + SIGNED_FOR_SECONDS;
  return `${baseUrl}/cdn/sample/${file}?expires=${expires}&signature=sample`;
}
