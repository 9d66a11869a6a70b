import type { GivenFile } from '../render/render-request.ts';

/** A piece of a scripted reply and the milliseconds of real time before it. */
export interface ScriptedPiece {
  text: string;
  delayMs: number;
}

/** What a fixture puts in the place of the work's own result; what it leaves out is made as usual. */
export interface ScriptedAnswer {
  /** A reply, or what is heard. */
  text?: string;
  /** The same reply as it is streamed. */
  pieces?: readonly ScriptedPiece[];
  /** What the songwriter would have written. */
  song?: { lyrics?: string | undefined; title?: string | undefined; style?: string | undefined };
  /** The finished file. */
  media?: GivenFile;
  /** The work fails with this code; its charge is refunded. */
  fail?: string;
}

/** The scripted answer that one request got. */
export interface Scripted extends ScriptedAnswer {
  /** Id of the fixture. */
  readonly fixture: string;
  /** Whether the request was charged for: then the fixture's use counts. */
  charged: boolean;
}
