import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.join(import.meta.dirname, '../../src/');

/** How an importer reads what a module exports, after the transformation by vitest: no function of the source. */
const EXPORT_READER = /^\(\) ?=> ?\{\s*try ?\{\s*return [\w$.]+;?\s*\} ?catch/;

/**
 * The files of `src`, sorted, of which this thread calls a function while `run` runs. The evaluation of a module is
 * none, nor is what its evaluation calls, as long as it was imported before.
 */
export async function executedFiles(run: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post('Debugger.enable');
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  try {
    await session.post('Profiler.takePreciseCoverage');
    await run();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const executed: string[] = [];
    for (const { scriptId, url, functions } of result) {
      const file = url.startsWith('file:') ? fileURLToPath(url) : url;
      if (!file.startsWith(ROOT)) continue;
      const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
      const isOwn = functions.some(({ ranges: [range] }) => {
        if (!range || range.count === 0) return false;
        const text = scriptSource.slice(range.startOffset, range.endOffset);
        return range.endOffset < scriptSource.length - 2 && !EXPORT_READER.test(text);
      });
      if (isOwn) executed.push(file.slice(ROOT.length));
    }
    return executed.toSorted();
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}
