import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { buildPage, source } from './build-page.mjs';
import { dist, replaceFile, root } from './built-files.mjs';

/** The page of a trace: the dashboard as one file, into which the data of a run is inserted. */
const built = await buildPage({
  base: './',
  assetsInlineLimit: Number.MAX_SAFE_INTEGER,
  cssCodeSplit: false,
  modulePreload: false,
  rolldownOptions: { input: path.join(source, 'trace.html'), output: { codeSplitting: false } },
});

const [script] = built.output.filter(({ type }) => type === 'chunk');
const styles = built.output.filter(({ fileName }) => fileName.endsWith('.css')).map(({ source: text }) => String(text));
const early = await Promise.all(
  ['early-theme.js', 'early-damage.js'].map((name) => readFile(path.join(source, name), 'utf8')),
);
// An end tag closes a script even inside a string.
const code = script.code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
// A trace contains its fonts, reduced to the Latin letters.
const style = styles
  .join('\n')
  .replace(/@font-face\s*\{[^}]*\}/g, (face) => (/U\+(?:0000-00FF|00\?\?|\?\?|0-FF)/i.test(face) ? face : ''))
  .replaceAll('</style', '<\\/style');

/** Allows only these scripts and no network, so nothing leaves the page. A waveform reads its sound from `data:`. */
const policy = [
  "default-src 'none'",
  `script-src ${[...early, code].map(hashOf).join(' ')}`,
  `style-src ${hashOf(style)} ${await waveformStyle()}`,
  'img-src data: blob:',
  'media-src data: blob:',
  'font-src data:',
  'connect-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const html = String(built.output.find(({ fileName }) => fileName.endsWith('.html')).source)
  .replace(/<script type="module"[^>]*><\/script>\s*/, '')
  .replace(/<link rel="stylesheet"[^>]*>\s*/g, '')
  .replace('<meta name="viewport"', () =>
    `<meta http-equiv="Content-Security-Policy" content="${policy}" />\n    $&`.replace('$&', '<meta name="viewport"'),
  )
  .replace(
    '</head>',
    () => `${early.map((text) => `<script>${text}</script>`).join('')}\n    <style>${style}</style>\n  </head>`,
  )
  .replace('</body>', () => `<script type="module">${code}</script>\n  <i id="whole" hidden></i></body>`);

/** Relative to `dist`. */
export const file = path.join('dashboard', 'trace-page.html');

await replaceFile(path.join(dist, file), html);

function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** The style of the waveform, as in the policy of the dashboard. */
async function waveformStyle() {
  const text = await readFile(path.join(root, 'src', 'dashboard', 'mount-dashboard.ts'), 'utf8');
  return /'sha256-[\w+/=]+'/.exec(text)?.[0] ?? '';
}
