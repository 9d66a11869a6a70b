import { secretValues } from '../../base/config/secret-values.ts';
import { Mask } from '../../control/mask/mask.ts';

const PRINTED = ['error', 'output', 'message'];
/** A shorter one is hidden in what was printed alone: a name is to stay the same wherever it is. */
const SHORTEST_ANYWHERE = 6;

/** Hides in reports what traces hide: keys, signing secrets, and the secret values of this environment. */
export class ReportMask {
  readonly #mask: Mask;
  readonly #anywhere: Mask;

  constructor(env: NodeJS.ProcessEnv = process.env) {
    const secrets = secretValues(env);
    this.#mask = new Mask(secrets);
    this.#anywhere = new Mask(secrets.filter(({ length }) => length >= SHORTEST_ANYWHERE));
  }

  of<Report extends object>(report: Report): Report {
    const printed = JSON.stringify(report, (key, value: unknown) =>
      PRINTED.includes(key) && typeof value === 'string' ? this.text(value) : value,
    );
    return JSON.parse(this.#anywhere.json(JSON.parse(printed))) as Report;
  }

  text(text: string): string {
    return this.#mask.lines(text.split('\n')).join('\n');
  }
}
