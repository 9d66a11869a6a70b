import { secretValuesInEnvironment } from '../../base/config/secret-values.ts';
import { Mask } from '../../control/mask/mask.ts';

const PRINTED = ['error', 'output', 'message'];
/**
 * In a report, shorter secrets are masked only in the fields `error`, `output` and `message`, so that names stay the
 * same everywhere.
 */
const SHORTEST_ANYWHERE = 6;

export class ReportMask {
  readonly #mask: Mask;
  readonly #anywhere: Mask;

  constructor(env: NodeJS.ProcessEnv = process.env) {
    const secrets = secretValuesInEnvironment(env);
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
