import type { RemoteFlags } from './remote.ts';

/** What a tool that starts a process has to go by: it runs these words, and nothing else that it is told. */
export interface GivenCommand {
  words: readonly string[];
  /** By which the emulator that runs is found. */
  flags: RemoteFlags;
  /** Aborts when the assistant is gone: what runs ends with it. */
  ending: AbortSignal;
}
