import { expect, it } from 'vitest';
import { requireSupportedVitest } from '../../../src/client/runners/vitest-version.ts';

it.each(['4.1.0', '4.1.12', '5.1.2', '6.0.0-beta.1', '10.0.0'])('accepts Vitest %s', (version) => {
  expect(() => requireSupportedVitest(version)).not.toThrow();
});

it.each(['4.0.18', '3.2.7', '3.0.0', '2.1.9', '0.34.6'])('rejects Vitest %s, whose fixtures differ', (version) => {
  expect(() => requireSupportedVitest(version)).toThrow(
    `svc-emulator/vitest needs Vitest 4.1 or later, not ${version}.`,
  );
});
