import { Session } from 'node:inspector/promises';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.join(import.meta.dirname, '../../src/');

/** How an importer reads what a module exports, after the transformation by vitest: no function of the source. */
const EXPORT_READER = /^\(\) ?=> ?\{\s*try ?\{\s*return [\w$.]+;?\s*\} ?catch/;
/** Where the fields of a class begin, and a class without a constructor: no function that a reader follows. */
const CLASS = /^class\b/;

const INLINE_MAP = /\/\/# sourceMappingURL=data:application\/json;[^,]*base64,([\w+/=]+)/;

/** The lines of a file of `src` in which a function ran, by its name from `src` on. */
export type ExecutedLines = Map<string, Set<number>>;

/**
 * The files of `src` of which this thread calls a function while `run` runs, and the lines of these functions. The
 * evaluation of a module is none, nor is what its evaluation calls, as long as it was imported before.
 */
export async function executedLines(run: () => Promise<void>): Promise<ExecutedLines> {
  const session = new Session();
  session.connect();
  await session.post('Debugger.enable');
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  try {
    await session.post('Profiler.takePreciseCoverage');
    await run();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const executed: ExecutedLines = new Map();
    for (const { scriptId, url, functions } of result) {
      const file = url.startsWith('file:') ? fileURLToPath(url) : url;
      if (!file.startsWith(ROOT)) continue;
      const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
      const ranges = functions
        .flatMap(({ ranges: [range] }) => (range && range.count > 0 ? [range] : []))
        .filter(({ endOffset }) => endOffset < scriptSource.length - 2)
        .filter(({ startOffset, endOffset }) => !EXPORT_READER.test(scriptSource.slice(startOffset, endOffset)));
      if (ranges.length > 0) executed.set(file.slice(ROOT.length), linesOf(scriptSource, ranges));
    }
    return executed;
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

interface Range {
  startOffset: number;
  endOffset: number;
}

/** In lines of the source file, which the map at the end of the script leads back to. */
function linesOf(script: string, ranges: readonly Range[]): Set<number> {
  const encoded = INLINE_MAP.exec(script)?.[1];
  if (!encoded) throw new Error('a script of vitest has no source map');
  const map = new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString()));
  const lineStarts = [0, ...[...script.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const sourceLine = (offset: number): number | undefined => {
    const line = lineStarts.findLastIndex((start) => start <= offset);
    const entry = map.findEntry(line, offset - (lineStarts[line] ?? 0));
    return 'originalLine' in entry ? entry.originalLine : undefined;
  };
  const lines = new Set<number>();
  for (const { startOffset, endOffset } of ranges) {
    if (CLASS.test(script.slice(startOffset, endOffset))) continue;
    const [first, last] = [sourceLine(startOffset), sourceLine(endOffset - 1)];
    if (first === undefined || last === undefined) continue;
    for (let line = first; line <= last; line += 1) lines.add(line);
  }
  return lines;
}
