import { EmulatorError } from '../errors.ts';
import type { IsOpen } from './step-kind.ts';

/** Checks params of which some are not known before the flow runs: what is wrong with these is told then. */
export function sparingOpen(isOpen: IsOpen, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!isAboutOpen(error, isOpen)) throw error;
  }
}

function isAboutOpen(error: unknown, isOpen: IsOpen): boolean {
  return error instanceof EmulatorError && error.param !== null && isOpen(error.param.split('.'));
}
