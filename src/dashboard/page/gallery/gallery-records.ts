/** Records of the gallery as the control surface answers them. Stamps are unix seconds of the emulator's clock. */
export interface LibraryEntry {
  id: string;
  account_id: string;
  kind: 'image' | 'video' | 'speech' | 'music';
  model: string;
  job_id: string;
  object_id: string | null;
  bytes: number;
  content_type: string;
  /** Seconds; null for pictures. */
  duration: number | null;
  credits: number;
  recipe: Recipe;
  url: string;
  thumbnail_url: string;
  created: number;
}

/** What a render was made from: effective parameters, model and seed. */
export interface Recipe {
  model: string;
  seed: number | null;
  prompt?: string;
  input?: string;
  title?: string;
  style?: string;
  lyrics?: string | null;
  negative_prompt?: string;
  aspect?: string;
  take?: number;
  [field: string]: unknown;
}

export interface SavedElement {
  id: string;
  account_id: string;
  handle: string;
  kind: string;
  name: string;
  picture_url: string | null;
  voice_url: string | null;
  created: number;
  /** Of a single one only. */
  used_by?: { library: string[]; flows: string[] };
}

export interface StoredObject {
  id: string;
  account_id: string;
  name: string;
  url: string;
  bytes: number;
  content_type: string;
  created: number;
}

export const KINDS = {
  image: 'Picture',
  video: 'Clip',
  speech: 'Voice',
  music: 'Song',
} as const;

/** The words that say best what a render is. */
export function titleOf({ recipe, kind }: LibraryEntry): string {
  const { title, prompt, input, style, lyrics } = recipe;
  return title || prompt || input || style || lyrics || KINDS[kind];
}

/** Wide by high; sounds have room for their waveform. */
export function ratioOf({ kind, recipe }: LibraryEntry): number {
  if (kind === 'image') return 1;
  if (kind !== 'video') return 2;
  const [wide = 16, high = 9] = (recipe.aspect ?? '16:9').split(':').map(Number);
  return wide / high || 16 / 9;
}
