/** What a template stands for: a value of the run's inputs, or what an earlier step came to. */
export type Reference =
  | { of: 'inputs'; path: readonly string[] }
  | { of: 'steps'; step: number; field: 'text' | 'url' };

/** A stretch of a text: as it stands, or to be filled in. `source` is the template as it was written. */
export type Piece = string | { reference: Reference; source: string };

/** Longer templates than this, in characters, are none: it bounds the search for their end. */
const LONGEST = 200;
const NAME = /^[\w$-]+$/;
const STEP = /^[1-9]\d{0,3}$/;

/** Thrown for braces that hold no template; `source` shows where. */
export class TemplateFault extends Error {
  readonly source: string;

  constructor(source: string) {
    super(`${source} is no template`);
    this.source = source;
  }
}

/**
 * Cuts a text into what stands and what is to be filled in: `{{inputs.a.b}}`, `{{steps.1.text}}`, `{{steps.1.url}}`.
 * Reads it once, whatever it holds. Throws `TemplateFault` for braces that hold anything else.
 */
export function parseTemplate(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', from)) {
    const near = text.slice(open, open + LONGEST);
    const length = near.indexOf('}}');
    if (length === -1) throw new TemplateFault(`${near.slice(0, 40)}…`);
    const source = near.slice(0, length + 2);
    if (open > from) pieces.push(text.slice(from, open));
    pieces.push({ reference: readReference(source), source });
    from = open + source.length;
  }
  if (from < text.length || pieces.length === 0) pieces.push(text.slice(from));
  return pieces;
}

/** Whether a text holds anything to be filled in, or that looks like it. */
export function hasTemplate(text: string): boolean {
  return text.includes('{{');
}

function readReference(source: string): Reference {
  const [of, ...path] = source.slice(2, -2).trim().split('.');
  if (of === 'inputs' && path.length > 0 && path.every((name) => NAME.test(name))) {
    return { of, path };
  }
  const [step = '', field] = path;
  if (of === 'steps' && path.length === 2 && STEP.test(step) && isField(field)) {
    return { of, step: Number(step), field };
  }
  throw new TemplateFault(source);
}

function isField(name: string | undefined): name is 'text' | 'url' {
  return name === 'text' || name === 'url';
}
