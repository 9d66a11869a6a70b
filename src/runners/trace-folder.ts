import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { threadId } from 'node:worker_threads';
import { xmlText } from '../report-card/junit.ts';

const RECORD = /<script type="application\/gzip" id="record">[^<]*<\/script>/;
/** Where the page of a trace has its record. */
const PLACE = '<!--record-->';
const INDEX = 'index.html';

/**
 * Keeps the trace of a test in a folder of traces: a small page of its own with the record, one viewer for all of them,
 * and a list of all as `index.html`. Everything opens from the disk, without a server. Tests of several processes may
 * write at the same time. Throws where the folder cannot be written.
 */
export function keepInFolder(folder: string, name: string, { html, title }: { html: string; title: string }): string {
  const [record = ''] = RECORD.exec(html) ?? [];
  const file = path.join(folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, smallPage({ title, record, viewer: keepViewer(folder, html.replace(RECORD, PLACE)) }));
  replaceFile(path.join(folder, INDEX), indexPage(folder));
  return file;
}

/** The page without a record, once for all traces of one version; answers its name. */
function keepViewer(folder: string, page: string): string {
  const name = `viewer-${createHash('sha256').update(page).digest('hex').slice(0, 8)}.js`;
  const file = path.join(folder, name);
  if (!existsSync(file)) replaceFile(file, viewerScript(page));
  return name;
}

/** Replaces the document, once it is read, by the page with its record: a page from the disk may load scripts, and nothing else. */
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
<head><meta charset="utf-8"><title>${xmlText(title)}</title></head>
<body>
<p>This trace is drawn by ${viewer}, which belongs beside this file: copy the whole folder.</p>
${record}
<script src="${viewer}"></script>
</body>
</html>
`;
}

const STYLE =
  'body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}li{margin:.4rem 0}time{color:#767676;margin-left:.75rem}@media(prefers-color-scheme:dark){body{background:#111;color:#eee}a{color:#8ab4f8}}';

/** A list of the traces in a folder, the newest first. */
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
      const link = `<a href="${encodeURIComponent(name)}">${xmlText(title)}</a>`;
      return `<li>${link}<time datetime="${time}">${time.slice(0, 19).replace('T', ' ')}</time></li>`;
    });
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Traces · svc-emulator</title><style>${STYLE}</style></head>
<body>
<h1>Traces</h1>
<ul>
${items.join('\n')}
</ul>
</body>
</html>
`;
}

/** How much of a page is read for its title, in bytes. */
const HEAD = 4096;

/** As the page says it; the trace of a whole run is called as its file. */
function titleOf(folder: string, name: string): string {
  const head = readFileSync(path.join(folder, name)).subarray(0, HEAD).toString();
  const [, title = name] = /<head><meta charset="utf-8"><title>([^<]*)<\/title>/.exec(head) ?? [];
  return title.replace(/&(lt|gt|quot|amp);/g, (_, entity: keyof typeof ENTITIES) => ENTITIES[entity]);
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', amp: '&' };

/** Whole or not at all: others read it, or write it too. */
function replaceFile(file: string, text: string): void {
  const own = `${file}.${process.pid}-${threadId}`;
  writeFileSync(own, text);
  renameSync(own, file);
}
