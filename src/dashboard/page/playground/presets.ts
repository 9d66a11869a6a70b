import { PageStore } from '../data/page-store.ts';
import type { Draft } from './call-draft.ts';

interface Preset {
  name: string;
  draft: Draft;
}

const say = (content: string) => [{ role: 'user', content }];

/** Calls worth a try, of each operation; the first one is what its form begins with. */
const PRESETS: Record<string, readonly Preset[]> = {
  createChatCompletion: [
    {
      name: 'Streamed scene',
      draft: {
        model: 'svc-rp-plus',
        context: 'Mara keeps the lighthouse. She is dry, kind and never in a hurry.',
        messages: say('I knock the snow off my boots. "Is the lamp lit yet?"'),
        stream: true,
      },
    },
    {
      name: 'Short message',
      draft: { model: 'svc-rp-mini', mode: 'messaging', messages: say('Are you still up?') },
    },
    {
      name: 'With a history',
      draft: {
        model: 'svc-rp-mini',
        messages: [
          { role: 'system', content: 'You are Mara, who keeps the lighthouse.' },
          { role: 'user', content: 'Who are you?' },
          { role: 'assistant', content: 'The one who keeps the light.' },
          { role: 'user', content: 'Since when?' },
        ],
      },
    },
    {
      name: 'Busy: a 503',
      draft: { model: 'svc-rp-mini', messages: say('Hello [[status:503]]') },
    },
  ],
  createImage: [
    {
      name: 'Portrait',
      draft: {
        prompt: 'portrait of a lighthouse keeper in a yellow raincoat',
        response_format: 'url',
      },
    },
    { name: 'Stored', draft: { prompt: 'a harbour at dawn, soft light', store: true } },
    { name: 'A failure', draft: { prompt: 'a harbour at dawn [[fail]]' } },
  ],
  createVideo: [
    {
      name: 'Own engine, at once',
      draft: { prompt: 'waves roll against the lighthouse at dusk', duration: '5s' },
    },
    {
      name: 'Engine of 1080p',
      draft: {
        model: 'vid_cged4l4k',
        prompt: 'the beam of a lighthouse sweeps over the sea',
        ...{ seconds: 4, resolution: '1080p', aspect: '16:9', shot: 'slow pan' },
      },
    },
    {
      name: 'For a phone',
      draft: { model: 'svc-motion-one', prompt: 'rain on a window', seconds: 5, aspect: '9:16' },
    },
    {
      name: 'A failure',
      draft: { model: 'svc-motion-one', prompt: 'rain on a window [[fail]]', seconds: 5 },
    },
  ],
  createSpeech: [
    {
      name: 'Aria',
      draft: {
        input: 'The light turns once every nine seconds, and every ship knows it.',
        voice: 'aria',
      },
    },
    { name: 'Orion', draft: { input: 'Fog from the west. Sound the horn.', voice: 'orion' } },
  ],
  createTranscription: [{ name: 'English', draft: { language: 'en' } }],
  createSong: [
    {
      name: 'Two takes',
      draft: { prompt: 'a slow folk song about a lighthouse keeper', seconds: 30, n: 2 },
    },
    {
      name: 'Instrumental',
      draft: { style: 'ambient, slow, piano, rain', instrumental: true, seconds: 60, n: 1 },
    },
    {
      name: 'Own lyrics',
      draft: {
        title: 'Nine Seconds',
        style: 'English, female vocals, folk, slow, guitar',
        lyrics: '[Verse]\nNine seconds of dark, nine seconds of light\n\n[Chorus]\nKeep it burning, keep it bright',
        ...{ seconds: 30, n: 1 },
      },
    },
    {
      name: 'The second take fails',
      draft: { prompt: 'a slow folk song [[fail:take=2]]', seconds: 30, n: 2 },
    },
  ],
  createWebhook: [
    {
      name: 'To an inbox of the emulator',
      draft: {
        url: `${window.location.origin}/_emulator/inbox/playground`,
        events: ['image.generation.succeeded', 'video.generation.succeeded'],
      },
    },
  ],
};

export function presetsOf(operation: string): readonly Preset[] {
  return PRESETS[operation] ?? [];
}

/** What is in the form of each operation, as long as the page is open. */
class DraftStore extends PageStore<Record<string, Draft>> {
  of(operation: string): Draft {
    return this.value[operation] ?? presetsOf(operation)[0]?.draft ?? {};
  }

  put(operation: string, draft: Draft): void {
    this.set({ ...this.value, [operation]: draft });
  }
}

export const draftStore = new DraftStore({});
