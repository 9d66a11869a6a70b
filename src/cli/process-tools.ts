import type { EmulatorTool } from '../mcp/tool-server.ts';
import { exploreTool } from './explore-tool.ts';
import type { GivenCommand } from './given-command.ts';
import { runTool } from './run-tool.ts';

/** Every one of them; they are offered over standard input and output only [I238]. */
const PROCESS_TOOLS: readonly ((given: GivenCommand) => EmulatorTool)[] = [runTool, exploreTool];

/** None without a command. */
export function processTools(given: GivenCommand): EmulatorTool[] {
  return given.words.length === 0 ? [] : PROCESS_TOOLS.map((toolOf) => toolOf(given));
}
