/** Hostile prompts with their kind, of at most 2,400 code points, the limit of an image. */
export const HOSTILE_PROMPTS: [what: string, prompt: string][] = [
  ['scripts mixed', 'Fuchs 狐 여우 лиса αλεπού ثعلب שועל लोमड़ी จิ้งจอก 🦊'],
  ['combining marks', `Z${'\u0301\u0334'.repeat(200)} n\u0303 ก็็็็็็`],
  ['bidirectional controls', '\u202eabc\u202c \u2067שלום\u2069 \u200fx\u061c(1) [2]'],
  ['lone halves of pairs', 'a\ud83dא\udc31ب\ud800'],
  ['2,400 emoji', '🦊🌲'.repeat(1200)],
  ['joins of no width', '👩\u200d👩\u200d👧\u200d👦 क\u200d्\u200cष 🏳\ufe0f\u200d🌈'],
];
