// Takes a picture of `check` that finds a bug in a copy of examples/shop. The output is that of a real terminal.
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import sharp from 'sharp';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COMMAND = "npx svc-emulator check -- npx vitest run -t 'one image'";
const COLUMNS = 100;
const FONT = 'node_modules/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2';
const THEMES = {
  light: { back: '#f6f8fa', text: '#1f2328', line: '#d1d9e0', red: '#cf222e', faint: '#59636e' },
  dark: { back: '#151b23', text: '#e6edf3', line: '#3d444d', red: '#ff7b72', faint: '#9198a1' },
};
const RED = '\u001b[31m';
const CLEAR_LINE = '\r\u001b[K';

/** Writes docs/images/check-light.png and check-dark.png. */
export async function takeCheckPicture(browser) {
  const lines = shownLines(await runCheck());
  const font = (await readFile(path.join(ROOT, FONT))).toString('base64');
  for (const [name, theme] of Object.entries(THEMES)) {
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, deviceScaleFactor: 2 });
    await page.setContent(pageOf(lines, theme, font));
    await page.evaluate('document.fonts.ready');
    const image = await page.locator('pre').screenshot({ omitBackground: true });
    await page.close();
    const file = path.join(ROOT, 'docs', 'images', `check-${name}.png`);
    await sharp(image).png({ palette: true, colors: 64, effort: 10 }).toFile(file);
  }
}

/** The terminal output of the command, in a copy of the example that orders again after each lost response. */
async function runCheck() {
  const folder = await mkdtemp(path.join(tmpdir(), 'check-picture-'));
  try {
    await cp(path.join(ROOT, 'examples', 'shop'), folder, { recursive: true });
    await linkPackages(path.join(folder, 'node_modules'));
    execFileSync('patch', ['-p1', '--input', 'bugs/order-again.patch'], { cwd: folder });
    const { CI: _, NO_COLOR: __, ...env } = process.env;
    const line = `stty cols ${COLUMNS}; ${COMMAND}; true`;
    return execFileSync('script', ['-qec', line, '/dev/null'], { cwd: folder, env, encoding: 'utf8' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function linkPackages(modules) {
  await mkdir(path.join(modules, '.bin'), { recursive: true });
  const links = ['vitest', 'express', 'stripe', 'better-sqlite3'].map((name) => [`node_modules/${name}`, name]);
  links.push(['.', 'svc-emulator'], ['dist/main.js', '.bin/svc-emulator']);
  links.push(['node_modules/vitest/vitest.mjs', '.bin/vitest']);
  await Promise.all(links.map(([from, to]) => symlink(path.join(ROOT, from), path.join(modules, to))));
}

/** The summary and the finding, without the progress before them and the notes after them. */
function shownLines(output) {
  const lines = output.split('\r\n').map((line) => line.split(CLEAR_LINE).at(-1));
  const first = lines.findIndex((line) => /^\d+ passed, 1 failed/.test(stripVTControlCharacters(line)));
  const last = lines.findIndex((line, at) => at > first && line.startsWith('    Replay: '));
  if (first < 0 || last < 0) throw new Error(`check did not find the bug:\n${output}`);
  return lines.slice(first, last + 1);
}

function pageOf(lines, theme, font) {
  const text = lines.map((line) => {
    const words = escaped(stripVTControlCharacters(line));
    return line.startsWith(RED) ? `<b>${words}</b>` : words;
  });
  return `<!doctype html><meta charset="utf-8"><style>
@font-face { font-family: mono; src: url(data:font/woff2;base64,${font}); font-weight: 100 800; }
body { background: transparent; margin: 0; }
pre { display: inline-block; width: ${COLUMNS}ch; margin: 0; padding: 18px 22px; font: 13px/1.55 mono; font-variant-ligatures: none;
  white-space: pre-wrap; word-break: break-all; color: ${theme.text}; background: ${theme.back}; border: 1px solid ${theme.line};
  border-radius: 8px; }
b { font-weight: 600; color: ${theme.red}; } i { font-style: normal; color: ${theme.faint}; }
</style><pre><i>$</i> ${escaped(COMMAND)}\n\n${text.join('\n')}</pre>`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
