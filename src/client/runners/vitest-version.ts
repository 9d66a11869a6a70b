import { createRequire } from 'node:module';

/** The first version whose `test.extend` returns a new test. Earlier ones change the extended test. */
const OLDEST = [4, 1] as const;

export function requireSupportedVitest(): void {
  const { version } = createRequire(import.meta.url)('vitest/package.json');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw new Error(
    `svc-emulator/vitest needs Vitest ${OLDEST.join('.')} or later, not ${version}. Run npm i -D vitest@4, or call startEmulator of svc-emulator in your own fixtures.`,
  );
}
