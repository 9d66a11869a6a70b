/** How a runner writes an assertion. */
export type Dialect = 'expect' | 'assert' | 'pytest' | 'go';
/** An assertion as each of them writes it. */
export type Words = Readonly<Record<Dialect, string>>;

export type Scalar = string | number | boolean | null;
/** What is at a position of a JSON: a value, or what is known of it. */
export type Value = { is: Scalar } | { length: number } | { type: string } | { begins: string } | { ends: string };

/** One thing that is looked at, as each language says it. */
interface Expressions {
  js: string;
  py: string;
  go: string;
  name: string;
}

/** The assertion that a field is what it is in the baseline run; `root` is what the body is called. */
export function fieldWords(root: string, steps: readonly (string | number)[], value: Value): Words {
  const of = {
    js: root + steps.map((step) => (typeof step === 'number' ? `[${step}]` : propertyOf(step))).join(''),
    py: root + steps.map((step) => `[${JSON.stringify(step)}]`).join(''),
    go: root + steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${goName(step)}`)).join(''),
    name: steps.join('.'),
  };
  if ('is' in value) return words(of, value.is);
  if ('length' in value) return lengthWords(of, value.length);
  if ('begins' in value) return partWords(of, ['startsWith', 'startswith', 'HasPrefix'], value.begins);
  if ('ends' in value) return partWords(of, ['endsWith', 'endswith', 'HasSuffix'], value.ends);
  const { js, py, go, name } = of;
  const zero = GO_ZEROS[value.type] ?? 'nil';
  return {
    expect: `expect(typeof ${js}).toBe('${value.type}');`,
    assert: `assert.equal(typeof ${js}, '${value.type}');`,
    pytest: `assert isinstance(${py}, ${PYTHON_TYPES[value.type] ?? 'object'})`,
    // Another type than that of its field is refused when the body is decoded.
    go: `if ${go} == ${zero} { t.Fatal("${name} is missing") }`,
  };
}

function lengthWords({ js, py, go, name }: Expressions, length: number): Words {
  return {
    expect: `expect(${js}).toHaveLength(${length});`,
    assert: `assert.equal(${js}.length, ${length});`,
    pytest: `assert len(${py}) == ${length}`,
    go: `if len(${go}) != ${length} { t.Fatalf("${name} has %d, expected ${length}", len(${go})) }`,
  };
}

/** `methods`: what looks for a part of a text in JavaScript, Python and Go. */
function partWords({ js, py, go, name }: Expressions, methods: readonly [string, string, string], part: string): Words {
  const [ofJs, ofPy, ofGo] = methods;
  const text = JSON.stringify(part);
  return {
    expect: `expect(${js}.${ofJs}(${quoted(part)})).toBe(true);`,
    assert: `assert.ok(${js}.${ofJs}(${quoted(part)}));`,
    pytest: `assert ${py}.${ofPy}(${text})`,
    go: `if !strings.${ofGo}(${go}, ${text}) { t.Fatalf("${name} is %q", ${go}) }`,
  };
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}'`;
}

const PYTHON_TYPES: Readonly<Record<string, string>> = {
  string: 'str',
  number: 'int',
  boolean: 'bool',
  object: 'dict',
};

/** What is in a field of a decoded body where the JSON has none. */
const GO_ZEROS: Readonly<Record<string, string>> = { string: '""', number: '0' };
const GO_INITIALS = new Set(['id', 'url', 'json']);

/** `result_url` is `ResultURL`, as Go names the fields of a struct. */
function goName(name: string): string {
  const parts = name.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return parts
    .map((part) => (GO_INITIALS.has(part) ? part.toUpperCase() : part[0]?.toUpperCase() + part.slice(1)))
    .join('');
}

function propertyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** A header of an answer. */
export function headerNamed(name: string): Expressions {
  return {
    ...{ js: `response.headers.get('${name}')`, py: `response.headers["${name}"]` },
    ...{ go: `response.Header.Get("${name}")`, name },
  };
}

/** The assertion that an expression has a value; `go` is that of a decoded body, `name` what its message calls it. */
export function words(of: Expressions, value: Scalar): Words {
  const { js, py, go, name } = of;
  const text = JSON.stringify(value);
  const js_ = typeof value === 'string' ? quoted(value) : text;
  const py_ = value === null ? 'None' : value === true ? 'True' : value === false ? 'False' : text;
  const go_ = value === null ? 'nil' : text;
  return {
    expect: `expect(${js}).toBe(${js_});`,
    assert: `assert.equal(${js}, ${js_});`,
    pytest: `assert ${py} == ${py_}`,
    go: `if ${go} != ${go_} { t.Fatalf("${name} is %v, expected %v", ${go}, ${go_}) }`,
  };
}
