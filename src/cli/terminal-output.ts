import { visibleText } from '../base/visible-text.ts';

/** Prints a text on standard output, with what a terminal would carry out shown instead. */
export function say(text: string): void {
  process.stdout.write(visibleText(text));
}

/** The same on standard error. */
export function sayAside(text: string): void {
  process.stderr.write(visibleText(text));
}
