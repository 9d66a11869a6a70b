import type { EmulatorTool } from '../mcp/emulator-tools.ts';
import type { RemoteFlags } from './remote.ts';
import { runTool } from './run-tool.ts';

/** What a tool that starts a process has to go by: it runs these words, and nothing else that it is told. */
export interface GivenCommand {
  words: readonly string[];
  /** By which the emulator that runs is found. */
  flags: RemoteFlags;
  /** Aborts when the assistant is gone: what runs ends with it. */
  ending: AbortSignal;
}

/** Every one of them; they are offered over standard input and output only [I238]. */
const PROCESS_TOOLS: readonly ((given: GivenCommand) => EmulatorTool)[] = [runTool];

/** None without a command. */
export function processTools(given: GivenCommand): EmulatorTool[] {
  return given.words.length === 0 ? [] : PROCESS_TOOLS.map((toolOf) => toolOf(given));
}
