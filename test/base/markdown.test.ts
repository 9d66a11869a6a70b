import { expect, it } from 'vitest';
import { escapeMarkdown, markdownTable } from '../../src/base/text.ts';

it.each([
  ['![x](https://a.example/i.png)', '!\\[x\\](https:&#47;/a.example/i.png)'],
  ['**bold** _it_ `code` ~~no~~', '\\*\\*bold\\*\\* \\_it\\_ \\`code\\` \\~\\~no\\~\\~'],
  ['<b>&lt; @all a|b', '&lt;b&gt;&amp;lt; @<!-- -->all a\\|b'],
  ['fixes #123 and GH-7, shop/app#4', 'fixes #<!-- -->123 and GH-<!-- -->7, shop/app#<!-- -->4'],
  ['one\n# two', 'one # two'],
  ['# head', '\\# head'],
  ['#123', '\\#<!-- -->123'],
  ['[a](https://a.example)', '\\[a\\](https:&#47;/a.example)'],
  ['www.a.example', 'www&#46;a.example'],
  ['1. item', '1\\. item'],
  ['https:\u200b//a\ufeff.example', 'https:\\\\u200b//a .example'],
  ['a\u2060b\ud800', 'a\\\\u2060b\\\\ud800'],
  ['\u001b[31mred\u202e', '\\\\u001b\\[31mred\\\\u202e'],
])('escapes %j for Markdown', (text, written) => {
  expect(escapeMarkdown(text)).toBe(written);
});

it('prints a valid Markdown table, with escaped texts', () => {
  const table = markdownTable(['Work', 'Credits:'], [['a|b', 3]]);
  expect(table.split('\n')).toEqual(['| Work | Credits |', '| --- | ---: |', '| a\\|b | 3 |']);
});
