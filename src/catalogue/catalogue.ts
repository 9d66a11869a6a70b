import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { readPlainFile } from '../config/plain-file.ts';
import { EmulatorError, invalid } from '../errors.ts';
import { fixtureFolder } from '../package/fixture-folder.ts';
import { type CatalogueFile, catalogueFile, type Engine, type MODEL_KINDS, type Model } from './catalogue-file.ts';

export type ModelKind = (typeof MODEL_KINDS)[number];

/** One line of the model list, exactly as documented. */
export interface ListedModel {
  id: string;
  kind: ModelKind;
  pricing: string;
}

/** The own video engine: the only one with a synchronous form. */
export const OWN_ENGINE = 'svc-motion-one';

/** Every model and engine there is, by id, with what each costs. */
export class Catalogue {
  readonly file: CatalogueFile;
  readonly #models: Map<string, Model>;
  readonly #engines: Map<string, Engine>;

  constructor(file: CatalogueFile) {
    this.file = file;
    this.#models = new Map(file.models.map((model) => [model.id, model]));
    this.#engines = new Map(file.engines.map((engine) => [engine.id, engine]));
  }

  list(): ListedModel[] {
    return [
      ...this.file.models.map(({ id, kind, pricing }) => ({ id, kind, pricing })),
      ...this.file.engines.map((engine) => ({
        id: engine.id,
        kind: 'video' as const,
        pricing: engineTerms(engine, this.file.ownClips),
      })),
    ];
  }

  /** Of which kind a model is; undefined for an id that is none. */
  kindOf(id: string): ModelKind | undefined {
    return this.#models.get(id)?.kind ?? (this.#engines.has(id) ? 'video' : undefined);
  }

  /** Throws `model_not_found` for an unknown id, `invalid_request` (param `model`) for one of another kind. */
  model(id: string, kind: Model['kind']): Model {
    const model = this.#models.get(id);
    if (model?.kind === kind) return model;
    throw this.#misfit(id, kind);
  }

  /** As `model`, for video engines. */
  engine(id: string): Engine {
    const engine = this.#engines.get(id);
    if (engine) return engine;
    throw this.#misfit(id, 'video');
  }

  /** The id of the model that a request names, or of the one that it means when it names none. Throws as `model`. */
  chosen(id: string | undefined, kind: Exclude<Model['kind'], 'chat'>): string {
    return this.model(id ?? this.standard(kind), kind).id;
  }

  /** The model a request means that names none. */
  standard(kind: Exclude<ModelKind, 'chat'>): string {
    if (kind === 'video') return OWN_ENGINE;
    return this.file.models.find((model) => model.kind === kind)?.id ?? '';
  }

  #misfit(id: string, kind: ModelKind): EmulatorError {
    const fitting = this.list().filter((model) => model.kind === kind);
    const wanted = fitting.map((model) => model.id).join(', ');
    const found = this.kindOf(id);
    if (found) return invalid('model', `model "${id}" is of kind ${found}; this needs one of kind ${kind}: ${wanted}.`);
    return new EmulatorError(
      'model_not_found',
      `There is no model "${id.slice(0, 80)}"; for this, use one of: ${wanted}.`,
      {
        param: 'model',
      },
    );
  }
}

/** Reads the catalogue: the shipped one, unless the user's fixtures folder holds one. Throws `invalid_request` that names file and field. */
export function readCatalogue(fixtures?: string): Catalogue {
  const own = fixtures && path.join(fixtures, 'catalogue.json');
  if (own && existsSync(own)) return new Catalogue(checked(own));
  // A test says that it is one: no start has to.
  return new Catalogue(parse(path.join(fixtureFolder(), 'catalogue.json')) as CatalogueFile);
}

function checked(file: string): CatalogueFile {
  const parsed = catalogueFile.safeParse(parse(file));
  if (parsed.success) return parsed.data;
  throw invalid(null, `${file} is not a catalogue:\n${z.prettifyError(parsed.error)}`);
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readPlainFile(file));
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unreadable';
    throw invalid(null, `${file} is not a catalogue: it is not valid JSON (${reason}).`);
  }
}

/** The terms of an engine in one readable line: rate, lengths, resolutions, surcharge and label. */
function engineTerms(engine: Engine, ownClips: CatalogueFile['ownClips']): string {
  const parts = [
    ...engine.rates.map(rateText),
    lengthText(engine.seconds),
    engine.resolutionText,
    ...(engine.surcharge ? [`${engine.surcharge.credits} credits per ${surchargeText(engine.surcharge.per)}`] : []),
  ].join(', ');
  return engine.family === null
    ? `${parts}; as a synchronous 720p clip ${ownClips['5s']} credits for 5s, ${ownClips['10s']} credits for 10s`
    : `${parts} (engine ${engine.label})`;
}

function rateText(rate: Engine['rates'][number]): string {
  const price =
    rate.creditsPerClip === undefined
      ? `${rate.creditsPerSecond} credits per second`
      : `${rate.creditsPerClip} credits per clip`;
  const soundtrack = rate.audio === undefined ? [] : [rate.audio ? 'with sound' : 'without sound'];
  const terms = [...(rate.resolution ? [`at ${rate.resolution}`] : []), ...soundtrack];
  return [price, ...terms].join(' ');
}

function lengthText(seconds: Engine['seconds']): string {
  if ('min' in seconds) return `${seconds.min}-${seconds.max} s`;
  const others = seconds.oneOf.slice(0, -1).join(', ');
  const last = `${seconds.oneOf.at(-1)} s`;
  return others ? `${others} or ${last}` : last;
}

function surchargeText(per: 'reference' | 'starting image'): string {
  return per === 'reference' ? 'reference image' : 'starting image';
}
