import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fillParams, fillText, parseTemplate } from '../../../src/engine/flows/template.ts';

const outputs = new Map([
  [1, { text: 'a {{inputs.name}} b' }],
  [2, { url: 'http://x/' }],
]);
const inputs = { name: 'Ann', n: 3, on: true, list: [1, [2]], deep: { a: { b: 'c' } }, none: null };
const sources = { inputs, outputs };

it.each([
  ['{{inputs.name}}', 'Ann'],
  ['Hi {{ inputs.name }}!', 'Hi Ann!'],
  ['{{inputs.n}}-{{inputs.on}}', '3-true'],
  ['{{inputs.deep.a.b}}{{inputs.list.1.0}}', 'c2'],
  ['{{inputs.list}}', '[1,[2]]'],
  ['{{steps.2.url}}?a', 'http://x/?a'],
  ['no braces, { one }, }} and {', 'no braces, { one }, }} and {'],
  ['', ''],
])('fills %j [I078]', (template, filled) => {
  expect(fillText(template, sources)).toBe(filled);
});

it('does not look at what was filled in again', () => {
  expect(fillText('<{{steps.1.text}}>', sources)).toBe('<a {{inputs.name}} b>');
});

it('gives a text that is one template the value itself, at any depth of the params', () => {
  const params = { a: '{{inputs.n}}', b: ['{{inputs.list}}', 'x{{inputs.n}}'], c: 1, d: null };
  expect(fillParams(params, sources)).toEqual({ a: 3, b: [[1, [2]], 'x3'], c: 1, d: null });
});

it.each([
  ['{{inputs.nobody}}', /\{\{inputs\.nobody\}\} has no value: the inputs of this run have no "nobody"/],
  ['{{inputs.none}}', /has no value/],
  ['{{inputs.name.length}}', /has no value/],
  ['{{inputs.__proto__}}', /has no value/],
  ['{{inputs.constructor.name}}', /has no value/],
  ['{{steps.2.text}}', /step 2 left no text/],
])('says that %s has no value, whatever objects are made of', (template, message) => {
  expect(() => fillText(template, sources)).toThrow(message);
});

it.each([
  ...['{{}}', '{{ }}', '{{inputs}}', '{{inputs.}}', '{{inputs.a b}}', '{{steps.0.text}}'],
  ...['{{steps.1}}', '{{steps.1.name}}', '{{steps.x.text}}', '{{env.PATH}}', '{{{inputs.a}}}'],
  ...[`{{inputs.${'a'.repeat(300)}}}`, '{{'],
])('takes %j for no template', (text) => {
  expect(() => parseTemplate(text)).toThrow('is no template');
});

it('cuts any text into pieces that make it up again', () => {
  const piece = fc.oneof(
    fc.string().map((text) => text.replaceAll('{', '(')),
    fc.constantFrom('{{inputs.a}}', '{{ steps.1.url }}'),
  );
  fc.assert(
    fc.property(fc.array(piece), (parts) => {
      const pieces = parseTemplate(parts.join(''));
      const sources = pieces.map((each) => (typeof each === 'string' ? each : each.source));
      expect(sources.join('')).toBe(parts.join(''));
    }),
    { seed: 4711 },
  );
});

it('refuses to grow without bounds', () => {
  const large = { inputs: { x: 'y'.repeat(1_000_000) }, outputs };
  expect(() => fillText('{{inputs.x}}'.repeat(100), large)).toThrow('over 32 MiB');
});
