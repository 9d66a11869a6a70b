import { EmulatorError, invalidRequestError, quoted } from '../../base/errors.ts';
import { countWithNoun } from '../../base/text.ts';
import {
  type CatalogueFile,
  describeEnginePricing,
  type Model,
  type ModelKind,
  type Resolution,
  readShippedCatalogueFile,
  type VideoEngine,
} from './catalogue-file.ts';

interface PaidWork {
  model?: ModelKind;
  streams?: true;
  announces?: true;
}

export const PAID_OPERATION_TRAITS = {
  'chat.completion': { model: 'chat', streams: true },
  'image.generation': { model: 'image', announces: true },
  'video.generation': { model: 'video', announces: true },
  'music.generation': { model: 'music', announces: true },
  'audio.speech': { model: 'speech' },
  'audio.transcription': { model: 'transcription' },
  'storage.object': {},
} as const satisfies Record<string, PaidWork>;

export type PaidOperation = keyof typeof PAID_OPERATION_TRAITS;

export function paidOperationTraits(operation: PaidOperation): PaidWork {
  return PAID_OPERATION_TRAITS[operation];
}

interface ListedModel {
  id: string;
  kind: ModelKind;
  pricing: string;
}

/** The service's own video model, the only one that can return a video in its response. */
export const OWN_ENGINE = 'svc-motion-one';

export class Catalogue {
  readonly file: CatalogueFile;
  readonly #models: Map<string, Model>;
  readonly #engines: Map<string, VideoEngine>;

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
        pricing: describeEnginePricing(engine, this.file.ownClips),
      })),
    ];
  }

  kindOf(id: string): ModelKind | undefined {
    return this.#models.get(id)?.kind ?? (this.#engines.has(id) ? 'video' : undefined);
  }

  /** Throws `model_not_found` for an unknown id, and `invalid_request` (`model`) for a model of another kind. */
  model(id: string, kind: Model['kind']): Model {
    const model = this.#models.get(id);
    if (model?.kind === kind) return model;
    throw this.#misfit(id, kind);
  }

  engine(id: string): VideoEngine {
    const engine = this.#engines.get(id);
    if (engine) return engine;
    throw this.#misfit(id, 'video');
  }

  chosen(id: string | undefined, kind: Exclude<Model['kind'], 'chat'>): string {
    return this.model(id ?? this.standard(kind), kind).id;
  }

  standard(kind: Exclude<ModelKind, 'chat'>): string {
    if (kind === 'video') return OWN_ENGINE;
    return this.file.models.find((model) => model.kind === kind)?.id ?? '';
  }

  #misfit(id: string, kind: ModelKind): EmulatorError {
    const fitting = this.list().filter((model) => model.kind === kind);
    const wanted = fitting.map((model) => model.id).join(', ');
    const found = this.kindOf(id);
    if (found) {
      return invalidRequestError(
        'model',
        `model "${id}" is of kind ${found}. Use one of kind ${kind}: ${wanted}.`,
        'C023',
      );
    }
    return new EmulatorError('model_not_found', `There is no model ${quoted(id)}. Use one of: ${wanted}.`, {
      param: 'model',
    });
  }
}

export function readShippedCatalogue(): Catalogue {
  return new Catalogue(readShippedCatalogueFile());
}

const TEN_MB = 10 * 1_048_576;

export interface PriceLine {
  times: number;
  credits: number;
  for: string;
}

export function sumPriceLines(terms: readonly PriceLine[]): number {
  let sum = 0;
  for (const { times, credits } of terms) sum += times * credits;
  return sum;
}

function started(amount: number, unit: number): number {
  return Math.max(1, Math.ceil(amount / unit));
}

type Priced = Pick<Model, 'id' | 'credits'>;

export function chatPriceLines(
  { id, credits, surcharge = 0 }: Priced & Pick<Model, 'surcharge'>,
  images: number,
): PriceLine[] {
  const reply = { times: 1, credits, for: `reply of ${id}` };
  return images === 0 ? [reply] : [reply, { times: images, credits: surcharge, for: 'image' }];
}

export function imagePriceLines({ id, credits }: Priced): PriceLine[] {
  return [{ times: 1, credits, for: `image by ${id}` }];
}

export function transcriptionPriceLines({ id, credits }: Priced): PriceLine[] {
  return [{ times: 1, credits, for: `transcription of ${id}` }];
}

export function speechPriceLines({ id, credits }: Priced, characters: number): PriceLine[] {
  return [
    {
      times: started(characters, 100),
      credits,
      for: `started 100 of ${countWithNoun(characters, 'character')} of ${id}`,
    },
  ];
}

export function songPriceLines({ id, credits }: Priced, seconds: number): PriceLine[] {
  return [{ times: started(seconds, 30), credits, for: `started 30 s of ${seconds} s of ${id}` }];
}

export function uploadPriceLines(creditsPerStarted10MiB: number, bytes: number): PriceLine[] {
  return [
    {
      times: started(bytes, TEN_MB),
      credits: creditsPerStarted10MiB,
      for: `started 10 MiB of ${countWithNoun(bytes, 'byte')}`,
    },
  ];
}

const STORAGE_LINE = 'store';

/** The contract limits renders to 10 MiB, so storing one costs a fixed amount. */
export function renderStoragePriceLines({ file }: Catalogue, isStored: boolean): PriceLine[] {
  return isStored ? [{ times: 1, credits: file.storage.creditsPerStarted10MiB, for: STORAGE_LINE }] : [];
}

export const ASPECT_RATIOS = ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'] as const;

export type AspectRatio = (typeof ASPECT_RATIOS)[number];

const SHORT_SIDE: Record<Resolution, number> = {
  '480p': 480,
  '720p': 720,
  '768p': 768,
  '1080p': 1080,
  '2k': 1440,
};

/** The size of a frame in pixels. The long side is rounded to an even number. */
export function frameSize(resolution: Resolution, aspect: AspectRatio): { width: number; height: number } {
  const short = SHORT_SIDE[resolution];
  const [across = 1, down = 1] = aspect.split(':').map(Number);
  const long = 2 * Math.round((short * Math.max(across, down)) / Math.min(across, down) / 2);
  return across >= down ? { width: long, height: short } : { width: short, height: long };
}

export function ownEngineClipPriceLines(
  credits: number,
  { duration, model }: { duration: string; model: string },
): PriceLine[] {
  return [{ times: 1, credits, for: `video of ${duration} by ${model}` }];
}

interface PricedClip {
  seconds: number;
  resolution: Resolution;
  audio: boolean;
  /** The number of images of the video: the starting image, reference images and pictures of elements. */
  pictures: number;
}

export function clipPriceLines(engine: VideoEngine, clip: PricedClip): PriceLine[] {
  const { seconds, resolution, audio, pictures } = clip;
  const rate = clipRate(engine, clip);
  const what = `${resolution}${audio ? ' with sound' : ''} by engine ${engine.label}`;
  const base =
    rate?.creditsPerClip === undefined
      ? { times: seconds, credits: rate?.creditsPerSecond ?? 0, for: `second of ${what}` }
      : { times: 1, credits: rate.creditsPerClip, for: `video of ${what}` };
  const { surcharge } = engine;
  const charged = surcharge?.per === 'reference' ? pictures : Math.min(1, pictures);
  if (!surcharge || charged === 0) return [base];
  return [base, { times: charged, credits: surcharge.credits, for: surcharge.per }];
}

function clipRate({ rates }: VideoEngine, { resolution, audio }: PricedClip): VideoEngine['rates'][number] | undefined {
  return rates.find((each) => (each.resolution ?? resolution) === resolution && (each.audio ?? audio) === audio);
}
