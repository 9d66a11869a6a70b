import { tmpdir } from 'node:os';

/** Variables that set the clock of a whole run, such as those of faketime. Clean environments also contain them. */
export const RUN_CLOCK = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(?:LD_PRELOAD|FAKETIME\w*|DONT_FAKE_MONOTONIC)$/.test(name)),
);

/** The environment of a command under test: only these variables and `env`, without CI or the keys of a user. */
export function cleanEnvironment(env: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', TMPDIR = '' } = process.env;
  // Hundreds of processes start but few render, so warming up for renders would only cost time.
  return { ...RUN_CLOCK, PATH, TMPDIR: TMPDIR || tmpdir(), SVC_EMULATOR_WARM: 'false', ...env };
}
