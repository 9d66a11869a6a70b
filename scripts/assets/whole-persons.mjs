/** Heads that the icons show alone stand on these, 32 wide and 44 high; the heads are half as large then. */
const SKIN = '#ffc83d';
const TROUSERS = '<path fill="#4a5568" d="M11 27h4.700v14H11zM16.300 27H21v14h-4.700z"/>';
const SKIRT = `<path fill="${SKIN}" d="M12 31h3v10h-3zM17 31h3v10h-3z"/><path fill="#7c5bbf" d="M10.500 26h11l3 8.500h-17z"/>`;
const PERSONS = {
  child: { shirt: '#3f8ad9', legs: TROUSERS },
  boy: { shirt: '#e2603c', legs: TROUSERS },
  girl: { shirt: '#d3527f', legs: SKIRT },
  'old-man': { shirt: '#6b8f71', legs: TROUSERS },
  'old-woman': { shirt: '#3f8f8f', legs: SKIRT },
};

/** A head that sits, and a bust that wears a gown. */
const BABY = [
  `<path fill="${SKIN}" d="M3 33a3.200 3.200 0 1 0 6.400 0a3.200 3.200 0 1 0-6.400 0zM22.600 33a3.200 3.200 0 1 0 6.400 0a3.200 3.200 0 1 0-6.400 0zM3.800 27a2 2 0 1 0 4 0a2 2 0 1 0-4 0zM24.200 27a2 2 0 1 0 4 0a2 2 0 1 0-4 0z"/>`,
  '<path fill="#6cb8de" d="M9.500 18q6.500-1.500 13 0 3 .500 4 4l1 4.500-3.500 1-1.500-2.500v4q4.500.500 4.500 3.500t-3.500 3h-15q-3.500 0-3.500-3t4.500-3.500v-4L8 27.500l-3.500-1 1-4.500q1-3.500 4-4z"/>',
  '<path fill="#f4f6f8" d="M12.500 18q3.500 5.500 7 0l.500 1.500q-4 6-8 0zM15.200 25h1.600v1.600h-1.600zM15.200 29h1.600v1.600h-1.600z"/>',
].join('');
const GOWN = [
  '<path fill="#633589" d="M10.500 16h11l1.500 8 5.500 19q-12.500 3-25 0L9 24z"/>',
  '<path fill="#8b62bf" d="M13.500 17h5l3 26.800q-5.500.700-11 0z"/>',
  '<path fill="#f1a11e" d="M4.200 40.500q11.800 3 23.600 0l.7 2.500q-12.500 3-25 0zM9.700 23h12.600l.4 1.800H9.300z"/>',
].join('');
const DRESSED = {
  baby: { below: BABY, head: 'translate(6.4 0) scale(0.6)' },
  queen: { below: GOWN, head: 'translate(6 -2) scale(0.62)' },
};

/** The drawing of a head, with a body where the person that is meant has none; all other drawings as they are. */
export function wholePerson(concept, body) {
  const dressed = DRESSED[concept];
  if (dressed) return dressed.below + moved(body, dressed.head);
  const person = PERSONS[concept];
  if (!person) return body;
  const head = moved(body, 'translate(8 0) scale(0.5)');
  return [
    `<path fill="${SKIN}" d="M6 24h3l-.500 7a1.500 1.500 0 0 1-3 0zM23 24h3l.500 7a1.500 1.500 0 0 1-3 0z"/>`,
    `<path fill="${SKIN}" d="M14 14h4v4h-4z"/>`,
    person.legs,
    '<path fill="#3a3f49" d="M10 40.500h5.700V43H10zM16.300 40.500H22V43h-5.700z"/>',
    `<path fill="${person.shirt}" d="M10 16.500q6-1.500 12 0q3 .500 3.500 3.500l1 6h-4l-.500-3.500V28H10v-5.500L9.500 26h-4l1-6q.500-3 3.500-3.500z"/>`,
    head,
  ].join('');
}

function moved(body, transform) {
  return body.replaceAll(/<(path|ellipse|circle|rect)\b/g, `<$1 transform="${transform}"`);
}
