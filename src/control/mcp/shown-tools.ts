import { z } from 'zod';
import { editDistance } from '../../base/config/edit-distance.ts';
import { invalid, quoted } from '../../base/errors.ts';
import { InputReader } from '../../service/http/input.ts';
import { type EmulatorTool, listed } from './operation-tools.ts';

/** What a test is written and read with: the tools that a client is shown, of which an assistant reads every word. */
const SHOWN = [
  ...['check', 'run_command'],
  ...['create_account', 'wait_for', 'read_ledger', 'list_requests', 'explain_request', 'verdict'],
  ...['add_fault', 'advance_clock'],
];
/** All effects take more words than all other tools together. */
const EFFECT = {
  type: 'object',
  description:
    'one effect, such as {"status": 503}, {"lost_answer": true}, {"fail_job": "render_failed"} or {"webhook": "duplicate"}; find {"query": "add_fault"} has all.',
};
/** What is shown of an argument in place of all that it takes; undefined: it is for fixtures, and not shown. */
const ABRIDGED: Readonly<Record<string, Readonly<Record<string, object | undefined>>>> = {
  add_fault: { effect: EFFECT },
  create_account: { unit: undefined, unit_id: undefined },
};

const MOST_FOUND = 12;
/** So few that what they take is answered too. */
const MOST_DESCRIBED = 2;
const MOST_NEAREST = 5;

/** Tools of which a few are shown, and two of these reach all others. */
export class ToolSet {
  readonly all: readonly EmulatorTool[];
  readonly #shownTools: readonly EmulatorTool[];
  #shown: ReturnType<typeof listed> | undefined;

  constructor(operations: readonly EmulatorTool[]) {
    const reaching = reachingTools(operations);
    this.all = [...operations, ...reaching];
    const named = SHOWN.flatMap((name) => operations.find((each) => each.name === name) ?? []);
    this.#shownTools = [...named, ...reaching];
  }

  /** As a client reads them. */
  get shown(): ReturnType<typeof listed> {
    this.#shown ??= listed(this.#shownTools).map((tool) => {
      const abridged = ABRIDGED[tool.name];
      if (!abridged) return tool;
      const properties = { ...Object(Reflect.get(tool.inputSchema, 'properties')), ...abridged };
      return { ...tool, inputSchema: { ...tool.inputSchema, properties } };
    });
    return this.#shown;
  }
}

const findInput = z.strictObject({
  query: z.string().max(200).default('').describe('words, or the name of an operation; none lists all names.'),
});

const callInput = z.strictObject({
  name: z.string().max(200).describe('the name of an operation.'),
  arguments: z.record(z.string(), z.unknown()).default({}).describe('what it takes.'),
});

/** `find` and `call`, by which a client reaches every operation. */
function reachingTools(tools: readonly EmulatorTool[]): EmulatorTool[] {
  const [finding, calling] = [new InputReader(findInput), new InputReader(callInput)];
  return [
    {
      name: 'find',
      description:
        'Finds operations of the emulator by words: keys, jobs, deliveries, snapshots, holds, flows and more. What the first ones take is answered too.',
      input: findInput,
      isReadOnly: true,
      call: async (_control, given) => found(tools, finding.readKnown(given).query),
    },
    {
      name: 'call',
      description: 'Calls an operation that find has named.',
      input: callInput,
      isReadOnly: false,
      async call(control, given) {
        const { name, arguments: fields } = calling.readKnown(given);
        const tool = tools.find((each) => each.name === name);
        if (tool) return tool.call(control, fields);
        throw invalid('name', unknownOperation(name, tools));
      },
    },
  ];
}

export function unknownOperation(name: string, tools: readonly EmulatorTool[]): string {
  const distance = (each: EmulatorTool) => editDistance(each.name, name.slice(0, 100).toLowerCase());
  const nearest = tools.toSorted((a, b) => distance(a) - distance(b)).slice(0, MOST_NEAREST);
  return `There is no operation ${quoted(name)}. The nearest are ${nearest.map((each) => each.name).join(', ')}; find looks for others by words.`;
}

function found(tools: readonly EmulatorTool[], query: string) {
  const words = query
    .toLowerCase()
    .split(/[\s_]+/)
    .filter(Boolean);
  if (words.length === 0) return { names: tools.map(({ name }) => name) };
  const ranked = tools
    .map((tool) => ({ tool, rank: rankOf(tool, query, words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, MOST_FOUND);
  const described = ranked[0]?.tool.name === query ? 1 : MOST_DESCRIBED;
  const operations = ranked.map(({ tool }, at) => {
    const { name, description } = tool;
    const [own] = at < described ? listed([tool]) : [];
    return { name, description, ...(own && { input: own.inputSchema }) };
  });
  return operations.length > 0 ? { operations } : { operations, names: tools.map(({ name }) => name) };
}

/** By how many of the words it has, those of its name first. */
function rankOf({ name, description }: EmulatorTool, query: string, words: readonly string[]): number {
  if (name === query) return Number.POSITIVE_INFINITY;
  const text = description.toLowerCase();
  // A word in the plural is found in the singular too.
  const stems = words.map((word) => word.replace(/s$/, ''));
  return stems.reduce((sum, stem) => sum + (name.includes(stem) ? 3 : 0) + (text.includes(stem) ? 1 : 0), 0);
}
