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

/** The drawing of a head, with a body where the person has none; all other drawings as they are. */
export function wholePerson(icon, body) {
  const person = PERSONS[icon];
  if (!person) return body;
  const head = body.replaceAll(/<(path|ellipse|circle|rect)\b/g, '<$1 transform="translate(8 0) scale(0.5)"');
  return [
    `<path fill="${SKIN}" d="M6 24h3l-.500 7a1.500 1.500 0 0 1-3 0zM23 24h3l.500 7a1.500 1.500 0 0 1-3 0z"/>`,
    `<path fill="${SKIN}" d="M14 14h4v4h-4z"/>`,
    person.legs,
    '<path fill="#3a3f49" d="M10 40.500h5.700V43H10zM16.300 40.500H22V43h-5.700z"/>',
    `<path fill="${person.shirt}" d="M10 16.500q6-1.500 12 0q3 .500 3.500 3.500l1 6h-4l-.500-3.500V28H10v-5.500L9.500 26h-4l1-6q.500-3 3.500-3.500z"/>`,
    head,
  ].join('');
}
