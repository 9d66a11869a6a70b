import { createHash } from 'node:crypto';
import { asOneLine, countWithNoun, formatFileAndLine } from '../base/text.ts';
import {
  describeTestExpectingSuccess,
  findingsOfCheck,
  formatCheckTitle,
  otherSiteLines,
  type PrintableReport,
  stateText,
  summaryLine,
} from './print-text.ts';
import type { CheckReport, Finding, ReportedCheck } from './report.ts';

const MAX_FINDINGS = 200;

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --back: #fff; --text: #1f2328; --good: #1a7f37; --bad: #cf222e; --wait: #8a5a00; }
@media (prefers-color-scheme: dark) {
  :root { --back: #16181d; --text: #e6e8eb; --good: #3fb950; --bad: #ff7b72; --wait: #d29922; }
}
body { background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
tr { border-bottom: 1px solid var(--line); }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; white-space: nowrap; }
td:last-child { white-space: normal; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  thead { display: none; } tr { display: grid; grid-template-columns: 1fr auto auto; } td:last-child { grid-column: 1 / -1; }
}
article { border: 1px solid var(--line); border-radius: 8px; padding: .2rem 1rem; margin: 1rem 0; }
h3 { font-size: 1rem; } code, pre { font: .85rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; } ol { padding-left: 1.2rem; } h2 .name { font: inherit; white-space: nowrap; }
.replay { display: flex; gap: .6rem; align-items: start; } .replay pre { flex: 1; margin: .3rem 0; } button { font: inherit; font-size: .85rem; }
.passed { color: var(--good); } .failed { color: var(--bad); } .not_tested { color: var(--wait); }
`;

/**
 * Browsers give the clipboard only to local files, to pages of this machine and to https. Elsewhere the copy button
 * stays hidden.
 */
const SCRIPT = `
for (const button of navigator.clipboard ? document.querySelectorAll('.replay button') : []) {
  button.hidden = false;
  button.onclick = async () => {
    const { textContent } = button.parentElement.querySelector('pre');
    button.textContent = await navigator.clipboard.writeText(textContent).then(() => 'Copied', () => 'Not copied');
  };
}
`;

const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
].join('; ');

export function formatHtmlReport({ report, complaints, notes }: PrintableReport): string {
  const { command, version, measured, error, checks, findings, expects_success: expecting } = report;
  const failed = checks.filter(({ state }) => state === 'failed');
  const rest = findings.filter(({ state }) => state !== 'new');
  const known = rest.filter(({ token }) => !failed.some((check) => check.findings.includes(token)));
  const said = [...complaints, ...notes, ...expecting.map(describeTestExpectingSuccess)];
  const body = [
    `<h1>Check: ${escaped(summaryLine(report))}</h1>`,
    `<p><code>${escaped(command)}</code>, ${measured.run} of ${countWithNoun(measured.planned, 'scenario')} in ${Math.round(measured.seconds)} s, svc-emulator ${escaped(version)}</p>`,
    ...(error === undefined ? [] : [`<p class="failed">${escaped(error)}</p>`]),
    checkTable(report),
    ...failed.map((check) => sectionOf(check, findings)),
    ...(known.length > 0 ? ['<h2>Known and accepted</h2>', ...known.slice(0, MAX_FINDINGS).map(articleOf)] : []),
    ...(said.length > 0
      ? ['<h2>Notes</h2>', `<ul>${said.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>`]
      : []),
  ];
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<meta http-equiv="content-security-policy" content="${POLICY}">`,
    '<title>Check · svc-emulator</title>',
    `<style>${STYLE}</style>`,
    '</head>',
    `<body><main>${body.filter(Boolean).join('\n')}</main><script>${SCRIPT}</script></body>`,
    '</html>',
    '',
  ].join('\n');
}

function checkTable({ checks }: CheckReport): string {
  const rows = checks.map(({ id, state, tried, why, next }) => {
    const command = next === undefined ? '' : ` <code>${escaped(next)}</code>`;
    const cells = [
      `<a id="${id}"></a>${nameOf(id)}`,
      `<span class="${state}">${stateText(state)}</span>`,
      `${tried.run} of ${tried.of}`,
      `${escaped(why ?? '')}${command}`,
    ];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  const heads = ['Check', 'State', 'Tried', 'Why'].map((each) => `<th scope="col">${each}</th>`);
  return `<table><thead><tr>${heads.join('')}</tr></thead><tbody>${rows.join('\n')}</tbody></table>`;
}

function sectionOf(check: ReportedCheck, findings: readonly Finding[]): string {
  const own = findingsOfCheck(check, findings);
  const left = own.length - MAX_FINDINGS;
  return [
    `<h2><span class="failed">FAILED</span> ${nameOf(check.id)}</h2>`,
    `<p>Expected: ${escaped(formatCheckTitle(check))}.</p>`,
    ...own.slice(0, MAX_FINDINGS).map(articleOf),
    ...(left > 0 ? [`<p>${left} more are in the JSON report.</p>`] : []),
  ].join('\n');
}

function articleOf(finding: Finding): string {
  const { title, test, error, happened, advice, replay, state } = finding;
  const place = test && `<p>Test <q>${escaped(test.name)}</q> ${escaped(formatFileAndLine(test))}</p>`;
  return [
    `<article><h3>${escaped(title)}${state === 'new' ? '' : ` (${state})`}</h3>`,
    place ?? '',
    error === undefined ? '' : `<pre>${escaped(error)}</pre>`,
    ...otherSiteLines(finding).map((line) => `<p>${escaped(line)}</p>`),
    `<ol>${happened.map((line) => `<li>${escaped(line)}</li>`).join('')}</ol>`,
    advice === undefined ? '' : `<p><strong>Fix:</strong> ${escaped(advice)}</p>`,
    `<div class="replay"><pre>${escaped(replay)}</pre><button type="button" hidden>Copy</button></div></article>`,
  ].join('\n');
}

function nameOf(id: string): string {
  return `<code class="name">${id}</code>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return asOneLine(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
