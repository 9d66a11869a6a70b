import type { RenderRequest } from '../src/media/render-request.ts';

export interface Piece {
  title: string;
  request: RenderRequest;
}

const SCENES = [
  'a lighthouse on a cliff at dusk, stormy sea',
  'snowy mountain peaks at sunrise',
  'tokyo street at night, neon rain',
  'a red fox in an autumn forest',
  'golden desert dunes and a cactus',
  'coral reef with a turtle',
  'a rocket over mars',
  'a quiet lake at dawn with mist',
  'a cozy village in winter, snow',
  'tulip garden on a spring morning',
  'a dragon over a volcano, epic',
  'long road to the horizon, vintage film',
  'tropical beach at sunset, palms',
  'canyon under a blue sky at noon',
  'a cat in a library window',
  'penguins on ice at night',
  'a horse on a meadow, pastel',
  'an island with palms, poster',
  'hot air balloons over green hills',
  'London in the fog, noir',
  'a castle on a hill, dreamy',
  'a train through the mountains',
  'a robot in a futuristic city',
  'sheep in spring, framed painting',
  'a whale in the arctic',
  'Ein Gewitter über dem Meer',
  'Ελληνικό νησί, island in summer',
  'Русская зима: winter forest',
  '東京の夜 🌃 city',
  'a very long prompt '.repeat(60),
];

export function pictures(): Piece[] {
  return SCENES.map((prompt, at) => ({
    title: prompt.slice(0, 120),
    request: { kind: 'image', model: 'svc-image-one', prompt, seed: at + 1 },
  }));
}

const SHOTS = ['pan', 'tilt', 'zoom', 'dolly', 'orbit', 'static'];
const ENGINES = ['svc-motion-one', ...[...'ABCDEFGHIJKLMNO'].map((letter) => `engine ${letter}`)];

const FIGURES = [
  { handle: 'mira', name: 'Mira', kind: 'character' as const },
  { handle: 'rex', name: 'Rex', kind: 'dog' as const },
];

export function clips(): Piece[] {
  return ENGINES.map((engine, at) => {
    const prompt = SCENES[(at * 7) % 28] ?? 'a lake';
    const shot = SHOTS[at % SHOTS.length] ?? 'pan';
    const [width, height] = at % 8 === 7 ? [720, 1280] : [1280, 720];
    const figures = at % 4 === 1 ? FIGURES : [];
    const lastFrame = at % 5 === 4 ? { standIn: `end ${at}` } : undefined;
    const sizes = { width, height, seconds: 6, audio: at % 3 !== 2, seed: at + 1 };
    const shown = { engine, prompt, shot, figures, lastFrame, references: [] };
    return { title: `${engine} · ${shot} · ${prompt}`, request: { kind: 'clip', model: 'vid', ...shown, ...sizes } };
  });
}

const SAID = 'The harbour sleeps. Who lit the lamp? Nobody knows, and nobody asks; but every night, at ten, it burns!';

export function speeches(): Piece[] {
  return (['aria', 'orion'] as const).map((voice) => ({
    title: `${voice}: ${SAID}`,
    request: { kind: 'speech', model: 'svc-voice-one', text: SAID, voice },
  }));
}

const LYRICS =
  '[Verse]\nThe tide goes out, the lights go on\nThe harbour hums a quiet song\n[Chorus]\nCarry me over, carry me home\n[Outro]\nHome';
const STYLES = [
  ...['folk, acoustic', 'synthwave, 100 bpm', 'jazz, slow', 'rock, fast'],
  ...['lo-fi, calm', 'orchestral, epic', 'techno', 'waltz, piano'],
];

export function songs(): Piece[] {
  return STYLES.map((style, at) => {
    const [seconds, lyrics] = [at === 0 ? 60 : 30, at % 2 === 0 ? LYRICS : null];
    const song = { model: 'svc-music-one', title: style, style, seconds, seed: at + 1, lyrics };
    return { title: style, request: { kind: 'song', ...song } };
  });
}
