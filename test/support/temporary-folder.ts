import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import chromium from '@sparticuz/chromium';

/** Folders that the browser of the tests unpacks once for all runs. */
const UNPACKED = ['chromium', 'fonts'];

/**
 * Creates a temporary folder for this run, and removes it afterwards. Killed emulators leave folders, which each later
 * start checks. The browser is unpacked here, because two test files that unpack it at once could start an incomplete one.
 */
export default async function ownTemporaryFolder(): Promise<() => void> {
  await chromium.executablePath();
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-tests-'));
  for (const name of UNPACKED) {
    const unpacked = path.join(tmpdir(), name);
    if (existsSync(unpacked)) symlinkSync(unpacked, path.join(folder, name));
  }
  process.env.TMPDIR = folder;
  // Most processes of the tests end before they render.
  process.env.SVC_EMULATOR_WARM = 'false';
  return () => rmSync(folder, { recursive: true, force: true });
}
