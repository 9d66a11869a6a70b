import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { threadId } from 'node:worker_threads';
import { countWithNoun } from '../../base/text.ts';
import { escapeXml } from './junit.ts';

const RECORD = /<script type="application\/gzip" id="record">[^<]*<\/script>/;
const PLACE = '<!--record-->';
const INDEX = 'index.html';

/**
 * Saves a trace and updates the index of the folder. Several processes may do so at the same time. Throws if the folder
 * cannot be written.
 */
export function saveTraceInFolder(
  folder: string,
  name: string,
  { html, title }: { html: string; title: string },
): string {
  const [record = ''] = RECORD.exec(html) ?? [];
  const file = path.join(folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, smallPage({ title, record, viewer: keepViewer(folder, html.replace(RECORD, PLACE)) }));
  replaceFile(path.join(folder, INDEX), indexPage(folder));
  return file;
}

function keepViewer(folder: string, page: string): string {
  const name = `viewer-${createHash('sha256').update(page).digest('hex').slice(0, 8)}.js`;
  const file = path.join(folder, name);
  if (!existsSync(file)) replaceFile(file, viewerScript(page));
  return name;
}

/** A script, because a page that is opened from the disk may load scripts but not read other files. */
function viewerScript(page: string): string {
  return `const page = ${JSON.stringify(page)};
addEventListener('load', () => {
  const record = document.getElementById('record').outerHTML;
  document.open();
  document.write(page.replace('${PLACE}', () => record));
  document.close();
});
`;
}

function smallPage({ title, record, viewer }: { title: string; record: string; viewer: string }): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeXml(title)}</title></head>
<body>
<p>This trace needs ${viewer} next to this file. Copy the whole folder.</p>
${record}
<script src="${viewer}"></script>
</body>
</html>
`;
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#e4e4e8, #2a2c31); --soft: light-dark(#5a5c66, #a3a6ae) }
* { box-sizing: border-box }
body { margin: 0; background: light-dark(#fff, #131416); color: light-dark(#1b1c20, #e9eaec); font: 13px/20px "Inter Variable", Inter, system-ui, sans-serif; font-variant-numeric: tabular-nums }
header { display: flex; flex-wrap: wrap; gap: 0 8px; align-items: baseline; padding: 14px 16px; border-bottom: 1px solid var(--line); background: light-dark(#f7f7f8, #0e0f11) }
h1 { margin: 0; font-size: 15px; font-weight: 600 }
header p { margin: 0 }
header p, time { color: var(--soft) }
ul { margin: 0; padding: 0; list-style: none }
li { position: relative; display: flex; flex-wrap: wrap; gap: 0 16px; justify-content: space-between; padding: 12px 16px; border-bottom: 1px solid var(--line) }
li:hover { background: light-dark(#f2f2f4, #1f2124) }
a { color: inherit; font-weight: 500; text-decoration: none; overflow-wrap: anywhere }
a::after { position: absolute; inset: 0; content: "" }
a:focus-visible { outline: none }
a:focus-visible::after { outline: 2px solid light-dark(#4f46e5, #a5a6fb); outline-offset: -2px }
time { font-size: 12px; white-space: nowrap }
`;

function indexPage(folder: string): string {
  const names = readdirSync(folder).filter((name) => name.endsWith('.html') && name !== INDEX);
  const traces = names.map((name) => ({
    name,
    at: statSync(path.join(folder, name)).mtime,
    title: titleOf(folder, name),
  }));
  const items = traces
    .sort((a, b) => b.at.getTime() - a.at.getTime() || (a.title < b.title ? -1 : 1))
    .map(({ name, at, title }) => {
      const time = at.toISOString();
      const link = `<a href="${encodeURIComponent(name)}">${escapeXml(title)}</a>`;
      return `<li>${link}<time datetime="${time}">${time.slice(0, 19).replace('T', ' ')} UTC</time></li>`;
    });
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Traces · svc-emulator</title><style>${STYLE}</style></head>
<body>
<header><h1>Traces</h1><p>${countWithNoun(traces.length, 'trace')}, the newest first</p></header>
<main>
<ul>
${items.join('\n')}
</ul>
</main>
</body>
</html>
`;
}

const HEAD = 4096;

function titleOf(folder: string, name: string): string {
  const head = readFileSync(path.join(folder, name)).subarray(0, HEAD).toString();
  const [, title = name] = /<head><meta charset="utf-8"><title>([^<]*)<\/title>/.exec(head) ?? [];
  return title.replace(/&(lt|gt|quot|amp);/g, (_, entity: keyof typeof ENTITIES) => ENTITIES[entity]);
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', amp: '&' };

/** Replaces the file in one step, because other processes read and write it too. */
function replaceFile(file: string, text: string): void {
  const own = `${file}.${process.pid}-${threadId}`;
  writeFileSync(own, text);
  renameSync(own, file);
}
