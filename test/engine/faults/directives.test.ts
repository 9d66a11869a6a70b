import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Directives, extractDirectives, mergeDirectives } from '../../../src/engine/faults/directives.ts';

describe('directives in a text', () => {
  it.each<[string, Directives]>([
    ['[[fail]]', { fail: { code: 'render_failed' } }],
    ['[[fail:gpu_lost_2]]', { fail: { code: 'gpu_lost_2' } }],
    ['[[fail:take=2]]', { fail: { code: 'render_failed', take: 2 } }],
    ['[[block]]', { block: 'request' }],
    ['[[block:lyrics]]', { block: 'lyrics' }],
    ['[[slow:3]]', { slowSeconds: 3 }],
    ['[[slow:0.25]]', { slowSeconds: 0.25 }],
    ['[[slow:0]]', { slowSeconds: 0 }],
    ['[[status:429]]', { status: 429 }],
    ['[[bytes:3MB]]', { bytes: 3_000_000 }],
    ['[[bytes:1.5 MiB]]', { bytes: 1_572_864 }],
    ['[[bytes:12345]]', { bytes: 12_345 }],
    ['[[status:599]]', { status: 599 }],
    ['[[fail:quota]][[fail:take=2]]', { fail: { code: 'quota', take: 2 } }],
    ['[[fail]] [[slow:2]]', { fail: { code: 'render_failed' }, slowSeconds: 2 }],
  ])('reads %s and leaves the empty text [I094 I152]', (text, directives) => {
    expect(extractDirectives(text)).toEqual({ text: '', directives });
  });

  it.each([
    '[[nap]]',
    '[[fail:]]',
    '[[fail:Loud]]',
    '[[fail:take=3]]',
    '[[fail:take=-1]]',
    '[[block:words]]',
    '[[slow]]',
    '[[slow:-1]]',
    '[[slow:soon]]',
    '[[slow:1e3]]',
    '[[status:200]]',
    '[[bytes:many]]',
    '[[bytes:-1]]',
    '[[bytes]]',
    '[[status:600]]',
    '[[status:4xx]]',
    '[[FAIL]]',
    '[[ fail ]]',
    '[[fail',
    '[[constructor]]',
    '[[]]',
    'a [b] [[c]] d',
  ])('leaves the malformed %s as plain text [I094]', (text) => {
    expect(extractDirectives(text)).toEqual({ text, directives: {} });
  });

  it.each([
    ['[[fail]] a song', 'a song'],
    ['a song [[fail]]', 'a song'],
    ['a [[fail]] song', 'a song'],
    ['a [[fail]] [[slow:1]] song', 'a song'],
    ['a [[fail]] [[slow:1]]', 'a'],
    ['so[[fail]]ng', 'song'],
    ['a song[[fail]], please', 'a song, please'],
    ['one\n[[fail]]\ntwo', 'one\ntwo'],
    ['one\r\n[[fail]]\r\ntwo', 'one\r\ntwo'],
    ['one [[fail]]\ntwo', 'one\ntwo'],
    ['one\n[[fail]]', 'one'],
    ['[[[fail]]]', '[]'],
    ['[[nap]] and [[fail]] on', '[[nap]] and on'],
  ])('turns %j into %j, without a gap [I103 I152]', (text, rest) => {
    expect(extractDirectives(text).text).toBe(rest);
  });

  it('returns a text without directives as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.includes('[['));
        expect(extractDirectives(text)).toEqual({ text, directives: {} });
      }),
    );
  });

  it('reads any mixture of brackets without a crash and adds nothing', () => {
    const piece = fc.constantFrom('[[', ']]', '[', 'fail', ':', 'take=2', 'slow:1', ' ', '\n', 'é😀');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        expect(extractDirectives(text).text.length).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});

describe('directives of two texts', () => {
  it.each<[Directives, Directives, Directives]>([
    [{}, {}, {}],
    [{ slowSeconds: 1 }, { status: 503 }, { slowSeconds: 1, status: 503 }],
    [{ slowSeconds: 1 }, { slowSeconds: 2 }, { slowSeconds: 2 }],
    [{ block: 'request' }, { block: 'lyrics' }, { block: 'request' }],
    [{ block: 'lyrics' }, {}, { block: 'lyrics' }],
    [{ fail: { code: 'quota' } }, { fail: { code: 'render_failed', take: 1 } }, { fail: { code: 'quota', take: 1 } }],
  ])('joins %j and %j [I152]', (a, b, joined) => {
    expect(mergeDirectives(a, b)).toEqual(joined);
  });
});
