import type { Ffmpeg } from './ffmpeg.ts';

export type RenderRequest = ImageRequest | ClipRequest | SpeechRequest | SongRequest | ThumbnailRequest;

export interface StoredFile {
  /** A hash of the file's request or of its bytes. */
  name: string;
  bytes: number;
  contentType: string;
  /** Null or undefined if the file has no length, or states none. */
  seconds?: number | null | undefined;
}

export type RenderedFile = Omit<StoredFile, 'name'>;

export interface ScriptedMediaFile extends StoredFile {
  kind: 'given';
}

export type JobRenderInput = RenderRequest | ScriptedMediaFile;

/** A file, or a picture drawn from the hash of a URL that may not be fetched. */
export type ReferencePicture = { sha256: string; path: string } | { standIn: string };

export interface ClipElement {
  handle: string;
  name: string;
  kind: string;
  picture?: ReferencePicture;
}

interface Sized {
  /** A smaller file is padded to about this size. */
  bytes?: number;
}

export interface ImageRequest extends Sized {
  kind: 'image';
  model: string;
  prompt: string;
  negativePrompt?: string;
  cfgScale?: number;
  seed: number;
}

/** A clip in MP4: H.264 (yuv420p) at 24 frames a second, with AAC if `audio` is true. */
export interface ClipRequest extends Sized {
  kind: 'clip';
  model: string;
  engine: string;
  prompt: string;
  negativePrompt?: string;
  width: number;
  height: number;
  seconds: number;
  audio: boolean;
  seed: number;
  shot?: string;
  lighting?: string;
  figures: ClipElement[];
  firstFrame?: ReferencePicture;
  lastFrame?: ReferencePicture;
  references: ReferencePicture[];
}

export interface SpeechRequest extends Sized {
  kind: 'speech';
  model: string;
  text: string;
  voice: 'aria' | 'orion';
}

/**
 * A song in MP3: 320 kbit/s, 48 kHz, stereo. It ends with a whole bar, so its length can differ slightly from
 * `seconds`.
 */
export interface SongRequest extends Sized {
  kind: 'song';
  model: string;
  title: string;
  style: string;
  lyrics: string | null;
  seconds: number;
  seed: number;
}

export interface ThumbnailRequest {
  kind: 'thumbnail';
  of: { sha256: string; path: string };
  contentType: string;
}

export interface RenderOptions {
  signal?: AbortSignal;
  owner?: string;
}

export interface Renderer {
  /**
   * Changes with everything outside the request that determines the bytes: code version, platform, sharp and ffmpeg.
   */
  readonly version: string;
  fingerprint(request: RenderRequest): string;
  /**
   * Writes the file to `target` in an existing folder, and leaves none behind if it rejects. Rejects with the signal's
   * reason, or with `render_failed`, `storage_full` or `invalid_request` (a broken reference picture).
   */
  render(request: RenderRequest, target: string, options?: RenderOptions): Promise<RenderedFile>;
  warm(): void;
  /** Rejects all running and waiting renders with `reason`. New ones run normally. */
  interrupt(reason: Error): void;
  close(): Promise<void>;
}

export interface RenderTools {
  ffmpeg: Ffmpeg;
  signal: AbortSignal;
  scratchFolder: string;
}
