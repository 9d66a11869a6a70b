import type { SampledCall } from '../data/code-samples.ts';
import { PageStore } from '../data/page-store.ts';
import type { Field, ServiceCall } from './read-document.ts';

/** What is in the form: values by the name of their field; files too. */
export type Draft = Record<string, unknown>;

/** A call as it will be sent. */
export interface DraftedCall extends SampledCall {
  operation: string;
  /** The body as JSON would carry it; of an upload, its text fields. */
  body: Record<string, unknown>;
  file: File | undefined;
}

/** What a form comes to: fields that say nothing are left out. */
export function draftedCall({ id, method, path, fields, params, isUpload }: ServiceCall, draft: Draft): DraftedCall {
  const given = params.filter(({ name }) => saysSomething(draft[name]));
  const query = new URLSearchParams(
    given.filter(({ isInPath }) => !isInPath).map(({ name }) => [name, String(draft[name])]),
  ).toString();
  const filled = path.replaceAll(/\{(\w+)\}/g, (hole, name) =>
    saysSomething(draft[name]) ? encodeURIComponent(String(draft[name])) : hole,
  );
  const body = bodyOf(fields, draft);
  const file = draft.file instanceof File ? draft.file : undefined;
  const texts = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]));
  return {
    ...{ operation: id, method, body, file },
    path: query === '' ? filled : `${filled}?${query}`,
    request: fields.length > 0 && !isUpload ? JSON.stringify(body) : null,
    form: isUpload ? { fields: texts, file: file?.name ?? 'voice.mp3' } : undefined,
  };
}

function bodyOf(fields: readonly Field[], draft: Draft): Record<string, unknown> {
  const given = fields.filter(({ name, as }) => as !== 'file' && saysSomething(draft[name]));
  return Object.fromEntries(given.map(({ name }) => [name, draft[name]]));
}

function saysSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== '';
}

/** What is missing before it can be sent. */
export function missingIn({ fields, params }: ServiceCall, draft: Draft): string | undefined {
  const missing = [...params, ...fields].find(({ name, isRequired }) => isRequired && !saysSomething(draft[name]));
  return missing && `${missing.name} is missing. It takes: ${missing.note || missing.type}`;
}

const say = (content: string) => [{ role: 'user', content }];

/** Calls worth a try, of each operation, by their names; the first one is what its form begins with. */
const PRESETS: Record<string, Record<string, Draft>> = {
  createChatCompletion: {
    'Streamed scene': {
      model: 'svc-rp-plus',
      context: 'Mara keeps the lighthouse. She is dry, kind and never in a hurry.',
      messages: say('I knock the snow off my boots. "Is the lamp lit yet?"'),
      stream: true,
    },
    'Short message': { model: 'svc-rp-mini', mode: 'messaging', messages: say('Are you still up?') },
    'With a history': {
      model: 'svc-rp-mini',
      messages: [
        { role: 'system', content: 'You are Mara, who keeps the lighthouse.' },
        { role: 'user', content: 'Who are you?' },
        { role: 'assistant', content: 'The one who keeps the light.' },
        { role: 'user', content: 'Since when?' },
      ],
    },
    'Busy: a 503': { model: 'svc-rp-mini', messages: say('Hello [[status:503]]') },
  },
  createImage: {
    Portrait: { prompt: 'portrait of a lighthouse keeper in a yellow raincoat', response_format: 'url' },
    Stored: { prompt: 'a harbour at dawn, soft light', store: true },
    'A failure': { prompt: 'a harbour at dawn [[fail]]' },
  },
  createVideo: {
    'Own engine, at once': { prompt: 'waves roll against the lighthouse at dusk', duration: '5s' },
    'Engine of 1080p': {
      model: 'vid_cged4l4k',
      prompt: 'the beam of a lighthouse sweeps over the sea',
      ...{ seconds: 4, resolution: '1080p', aspect: '16:9', shot: 'slow pan' },
    },
    'For a phone': { model: 'svc-motion-one', prompt: 'rain on a window', seconds: 5, aspect: '9:16' },
    'A failure': { model: 'svc-motion-one', prompt: 'rain on a window [[fail]]', seconds: 5 },
  },
  createSpeech: {
    Aria: { input: 'The light turns once every nine seconds, and every ship knows it.', voice: 'aria' },
    Orion: { input: 'Fog from the west. Sound the horn.', voice: 'orion' },
  },
  createTranscription: { English: { language: 'en' } },
  createSong: {
    'Two takes': { prompt: 'a slow folk song about a lighthouse keeper', seconds: 30, n: 2 },
    Instrumental: { style: 'ambient, slow, piano, rain', instrumental: true, seconds: 60, n: 1 },
    'Own lyrics': {
      title: 'Nine Seconds',
      style: 'English, female vocals, folk, slow, guitar',
      lyrics: '[Verse]\nNine seconds of dark, nine seconds of light\n\n[Chorus]\nKeep it burning, keep it bright',
      ...{ seconds: 30, n: 1 },
    },
    'The second take fails': { prompt: 'a slow folk song [[fail:take=2]]', seconds: 30, n: 2 },
  },
  createWebhook: {
    'To an inbox of the emulator': {
      url: `${window.location.origin}/_emulator/inbox/playground`,
      events: ['image.generation.succeeded', 'video.generation.succeeded'],
    },
  },
};

/** Names and drafts of them. */
export function presetsOf(operation: string): readonly [string, Draft][] {
  return Object.entries(PRESETS[operation] ?? {});
}

/** What is in the form of each operation, as long as the page is open. */
class DraftStore extends PageStore<Record<string, Draft>> {
  of(operation: string): Draft {
    return this.value[operation] ?? presetsOf(operation)[0]?.[1] ?? {};
  }

  put(operation: string, draft: Draft): void {
    this.set({ ...this.value, [operation]: draft });
  }
}

export const draftStore = new DraftStore({});
