import { tmpdir } from 'node:os';

/** What sets a clock for all of a run, such as faketime: processes whose environment is a clean one are told of it too. */
export const RUN_CLOCK = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(?:LD_PRELOAD|FAKETIME\w*|DONT_FAKE_MONOTONIC)$/.test(name)),
);

/** All that a command under test sees of its environment, but for what a test gives it: no CI, no key of a user. */
export function cleanEnvironment(env: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', TMPDIR = '' } = process.env;
  // Hundreds are started and few render: what prepares for that would take the time of the others.
  return { ...RUN_CLOCK, PATH, TMPDIR: TMPDIR || tmpdir(), SVC_EMULATOR_WARM: 'false', ...env };
}
