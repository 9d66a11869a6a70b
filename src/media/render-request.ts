import type { Ffmpeg } from './ffmpeg.ts';

/** What a render depends on, and nothing else: the same request under the same render version makes the same bytes. */
export type RenderRequest = ImageRequest | ClipRequest | SpeechRequest | SongRequest | ThumbnailRequest;

/** A finished file that lies in storage: nothing is rendered. */
export interface GivenFile {
  kind: 'given';
  /** Its name in storage: the SHA-256 of its bytes. */
  file: string;
  bytes: number;
  contentType: string;
  /** Real length, of what has one. */
  seconds?: number;
}

/** Where the file of a job comes from. */
export type JobRender = RenderRequest | GivenFile;

/** A picture the caller gave: a file named by the SHA-256 of its bytes, or, where it may not be fetched, one drawn from the hash of its URL. */
export type ReferencePicture = { sha256: string; path: string } | { standIn: string };

/** A saved character or thing that a clip shows as a named figure. */
export interface Figure {
  handle: string;
  name: string;
  kind: string;
  picture?: ReferencePicture;
}

/** How large the file of a render is to be. */
interface Sized {
  /** Bytes up to which it is padded, without changing a pixel or a sample; a file that is larger by itself stays as it is. */
  bytes?: number;
}

/** 1024 × 1024 PNG. */
export interface ImageRequest extends Sized {
  kind: 'image';
  model: string;
  /** 0 to 2,400 code points. */
  prompt: string;
  negativePrompt?: string;
  /** 1 to 20: how strongly the words act. */
  cfgScale?: number;
  /** 0 to 4294967295. */
  seed: number;
}

/** H.264 (yuv420p) at 24 frames a second in MP4, with AAC where `audio` is true. */
export interface ClipRequest extends Sized {
  kind: 'clip';
  model: string;
  /** What the picture calls the engine, as in `engine A` or `svc-motion-one`; every engine has a look of its own. */
  engine: string;
  prompt: string;
  negativePrompt?: string;
  /** Even numbers of pixels. */
  width: number;
  height: number;
  /** 1 to 30, whole. */
  seconds: number;
  audio: boolean;
  seed: number;
  shot?: string;
  lighting?: string;
  figures: Figure[];
  /** The clip begins with this picture. */
  firstFrame?: ReferencePicture;
  /** The clip ends with this picture. */
  lastFrame?: ReferencePicture;
  /** Further reference pictures, shown in the scene. */
  references: ReferencePicture[];
}

/** MP3 whose tags carry the text. */
export interface SpeechRequest extends Sized {
  kind: 'speech';
  model: string;
  /** 0 to 4,096 code points. */
  text: string;
  voice: 'aria' | 'orion';
}

/** MP3, 320 kbit/s, 48 kHz, stereo; ends on a bar, so its real length differs a little from `seconds`. */
export interface SongRequest extends Sized {
  kind: 'song';
  model: string;
  title: string;
  style: string;
  /** null for an instrumental. */
  lyrics: string | null;
  /** 30 to 240 in steps of 30. */
  seconds: number;
  seed: number;
}

/** WebP, 320 pixels wide at most: a picture scaled, a frame of a clip, the waveform of sound. */
export interface ThumbnailRequest {
  kind: 'thumbnail';
  /** The finished render, under the name of its file. */
  of: { sha256: string; path: string };
  contentType: string;
}

/** What a render made, beside the file itself. */
export interface RenderedFile {
  bytes: number;
  contentType: 'image/png' | 'image/webp' | 'video/mp4' | 'audio/mpeg';
  /** Real length in seconds, from the file itself; absent for pictures. */
  seconds?: number;
}

export interface RenderOptions {
  signal?: AbortSignal;
  /** Whose render it is: the owner with the fewest under way is the next. */
  owner?: string;
  /** Called with the share done, 0 to 1, as it really moves. */
  onProgress?: (share: number) => void;
}

/** Parameters in, a file out. Knows nothing of money, jobs or HTTP. */
export interface Renderer {
  /** Everything outside the request that decides the bytes: code version, platform, ffmpeg build. */
  readonly version: string;
  /** Names the file that `render` would make: hex SHA-256 of version and request (without paths). */
  fingerprint(request: RenderRequest): string;
  /**
   * Writes the whole file to `target` (a path in a folder that exists); a worker renders it.
   * Rejects with `EmulatorError`: `render_failed` for a broken engine or a passed time limit,
   * `invalid_request` for a reference picture that turns out to be broken; with the signal's reason when cancelled.
   * Leaves no file behind when it rejects.
   */
  render(request: RenderRequest, target: string, options?: RenderOptions): Promise<RenderedFile>;
  /** Prepares a worker for what may come, at its leisure; without renders it is ended after a while. */
  warm(): void;
  /** Cuts off all renders, those that wait for their turn too: they reject with `reason`. The next ones run as ever. */
  interrupt(reason: Error): void;
  /** Stops workers and children; what runs rejects. */
  close(): Promise<void>;
}

/** What a render engine is given to work with, inside a worker. */
export interface RenderTools {
  /** The one door to ffmpeg; runs are queued, two children at a time. */
  ffmpeg: Ffmpeg;
  /** Aborts when the render is cancelled; check it between long steps. */
  signal: AbortSignal;
  /** Takes the share done, 0 to 1. */
  onProgress: (share: number) => void;
  /** A folder of this worker's process for prepared parts that are costly to make; it may vanish between runs. */
  scratchFolder: string;
}
