import { quotedForShell } from './shell-text.ts';

/** How a command is explored again: the words that started this program, and those that follow `explore --replay TOKEN`. */
export interface Again {
  program: readonly string[];
  words: readonly string[];
}

/** What shows a finding again, as a whole command for a shell; a call where the story is a function. */
export function replayLine(token: string, again: Again | undefined): string {
  if (!again) return `explore(story, { replay: '${token}' })`;
  return [...again.program, 'explore', '--replay', token, ...again.words].map(quotedForShell).join(' ');
}
