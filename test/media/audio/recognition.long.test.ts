import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { renderSpeech } from '../../../src/media/speech/render-speech.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { ffmpeg, rendered } from './audio-tools.ts';
import { english } from './english-book.ts';

/** Debian's packages pocketsphinx, pocketsphinx-en-us and espeak-ng. */
const MODEL = '/usr/share/pocketsphinx/model/en-us';
const hasTools = ['pocketsphinx_batch', 'espeak-ng'].every(
  (program) => spawnSync('which', [program], { stdio: 'ignore' }).status === 0,
);
const words = readFileSync(new URL('recognition-words.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

it.runIf(hasTools)(
  'is understood by a recogniser of forty words at least as often as espeak-ng is, in either voice',
  async () => {
    const theirs = understood(words.map((word) => execFileSync('espeak-ng', ['-v', 'en-us', '--stdout', word])));
    const counts: Record<string, number> = { 'espeak-ng': theirs };
    for (const voice of ['aria', 'orion'] as const)
      counts[voice] = understood(await Promise.all(words.map(sayer(voice))));
    console.log(`understood of ${words.length} words: ${JSON.stringify(counts)}`);
    expect(counts.aria).toBeGreaterThanOrEqual(theirs);
    expect(counts.orion).toBeGreaterThanOrEqual(theirs);
  },
  300_000,
);

function sayer(voice: 'aria' | 'orion') {
  return async (text: string) => {
    const request = { kind: 'speech', model: 'svc-voice-one', text, voice } as const;
    return (await rendered((target, tools) => renderSpeech(request, target, tools, english))).bytes;
  };
}

/** How many of the files, one for each word, are heard as their words by a grammar of these words. */
function understood(files: Buffer[]): number {
  const folder = emptyFolder();
  const at = (name: string) => path.join(folder, name);
  mkdirSync(at('said'));
  files.forEach((bytes, i) => {
    const samples = ffmpeg(bytes, ['-ac', '1', '-ar', '16000', '-f', 's16le', 'pipe:1']).stdout;
    writeFileSync(at(`said/${words[i]}.raw`), samples);
  });
  writeFileSync(at('words'), words.join('\n'));
  writeFileSync(at('grammar'), `#JSGF V1.0;\ngrammar words;\npublic <word> = ${words.join(' | ')};\n`);
  const model = ['-hmm', `${MODEL}/en-us`, '-dict', `${MODEL}/cmudict-en-us.dict`, '-jsgf', at('grammar')];
  const input = ['-ctl', at('words'), '-cepdir', at('said'), '-cepext', '.raw', '-adcin', 'yes'];
  execFileSync('pocketsphinx_batch', [...model, ...input, '-hyp', at('heard')], { stdio: 'ignore' });
  // A line is what is heard, then the name of the file and a score.
  const heard = readFileSync(at('heard'), 'utf8').trim().split('\n');
  return heard.filter((line) => /^(\S+) \(\1 /.test(line)).length;
}
