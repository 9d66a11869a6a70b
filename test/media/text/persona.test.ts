import { describe, expect, it } from 'vitest';
import { loadLexicon } from '../../../src/media/text/chat-banks.ts';
import { type Persona, readPersona } from '../../../src/media/text/persona.ts';

const lexicon = loadLexicon();

describe('a persona', () => {
  it.each<[string, Partial<Persona>]>([
    ['You are Mira, an innkeeper.', { name: 'Mira', pronoun: 'she' }],
    ['You are Captain Elena Vasquez of the starship Dawn.', { name: 'Captain Vasquez', place: 'ship' }],
    ['You are a grumpy old blacksmith. He hates mornings.', { name: 'the blacksmith', pronoun: 'he', tone: 'gruff' }],
    ['A quiet girl named Noor; her brother is away.', { name: 'Noor', pronoun: 'she' }],
    [
      'Name: Dev. A cheerful coworker in the office.',
      { name: 'Dev', pronoun: 'they', tone: 'cheerful', place: 'office' },
    ],
    ['You are a helpful assistant.', { name: undefined, pronoun: 'I', bodiless: true }],
    ['The forest in the rain, at dusk.', { name: undefined, place: 'forest', weather: 'rain', time: 'evening' }],
    ['', { name: undefined, pronoun: 'I', bodiless: false, place: undefined }],
  ])('described as %j is read as %j [R140]', (text, persona) => {
    expect(readPersona(text, lexicon)).toMatchObject(persona);
  });
});
