import { PageStore } from '../data/page-store.ts';
import type { Draft } from './call-draft.ts';

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
