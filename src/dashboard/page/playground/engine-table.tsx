import { useQueries } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { at, useFilter } from '../data/addresses.ts';
import { useList } from '../data/queries.ts';
import type { Listed } from '../data/records.ts';
import { type Column, column, DataList, textColumn } from '../pieces/data-list.tsx';
import { SelectField } from '../pieces/form-field.tsx';
import { Credits } from '../pieces/values.tsx';
import { draftStore, type Price, priceQuery } from './drafted-call.tsx';
import type { ServiceCall } from './read-document.ts';

type Engine = Listed<'listEngines'>;

interface PricedEngine extends Engine {
  price: Price | undefined;
}

const SECONDS = [4, 5, 6, 8, 10, 12, 15, 20, 30];
const SOUND = { native: 'always', choice: 'as asked', none: 'none' };

const COLUMNS: readonly Column<PricedEngine>[] = [
  column('Engine', 'minmax(136px, 1.4fr)', nameCell, { line: 1, grow: true }),
  column('Price', '88px', priceCell, { align: 'end', line: 1 }),
  column('Length', '80px', ({ seconds }) => lengthsOf(seconds), { line: 2 }),
  textColumn('Sizes', 'minmax(96px, 1fr)', ({ resolutions }) => resolutions.join(', '), { line: 2, grow: true }),
  column('Sound', '64px', ({ audio }) => SOUND[audio], { line: 2 }),
  column('References', '72px', ({ images }) => images.references || '–', { align: 'end' }),
  column('Start', '40px', ({ images }) => yes(images.start)),
  column('End', '40px', ({ images }) => yes(images.last)),
  column('Seed', '40px', ({ seed }) => yes(seed)),
  column('Negative prompt', '104px', ({ negativePrompt }) => yes(negativePrompt)),
  column('Voice', '48px', ({ voiceSample }) => yes(voiceSample)),
];

function nameCell({ id, label }: Engine) {
  return (
    <>
      <strong>{label === id ? 'Own' : label}</strong> <code className="soft">{id}</code>
    </>
  );
}

function priceCell({ price }: PricedEngine) {
  if (!price || price.refusal) return <span className="soft">–</span>;
  return <Credits amount={price.credits} unit />;
}

const keyOf = ({ id }: Engine) => id;

/** The video engines beside each other, with what a clip would cost; one that is chosen goes into the form. */
export function EngineTable({ call }: { call: ServiceCall }) {
  const [, navigate] = useLocation();
  const [seconds, setSeconds] = useFilter('seconds', '8');
  const [resolution, setResolution] = useFilter('resolution');
  const order = { seconds: Number(seconds), resolution };
  const engines = usePricedEngines(order);
  const sizes = [...new Set(engines.flatMap(({ resolutions }) => resolutions))];
  const choose = (model: string) => {
    const before = draftStore.of(call);
    const size = resolution === '' ? {} : { resolution };
    const draft = { prompt: before.prompt, ...size, model, seconds: order.seconds };
    draftStore.put(call.id, draft);
    navigate(at.playground(call.id));
  };
  return (
    <section className="column grow" aria-label="Engines">
      <div className="row wrap ruled padded">
        <span>A clip of</span>
        <SelectField
          label="Length"
          value={seconds}
          options={SECONDS.map((each) => [String(each), `${each} seconds`])}
          onChange={setSeconds}
        />
        <span>in</span>
        <SelectField
          label="Size"
          value={resolution}
          options={[['', 'the usual size'], ...sizes.map((each) => [each])]}
          onChange={setResolution}
        />
        <span className="soft">Click an engine to use it in the form.</span>
      </div>
      <DataList label="Video engines" rows={engines} columns={COLUMNS} keyOf={keyOf} onOpen={choose} empty={null} />
    </section>
  );
}

/** A size that an engine does not have would be dropped, and another one priced. */
function usePricedEngines({ seconds, resolution }: { seconds: number; resolution: string }) {
  const { data: engines = [] } = useList<Engine>('/engines');
  const isMade = ({ resolutions }: Engine) => resolution === '' || resolutions.some((each) => each === resolution);
  const prices = useQueries({
    queries: engines.map((engine) => {
      const size = resolution === '' ? {} : { resolution };
      const body = { model: engine.id, prompt: 'x', seconds, ...size };
      return { ...priceQuery({ operation: 'createVideo', body, bytes: 0 }), enabled: isMade(engine) };
    }),
    combine: (results) => results.map(({ data }) => data),
  });
  return engines.map(
    (engine, position): PricedEngine => ({ ...engine, price: isMade(engine) ? prices[position] : undefined }),
  );
}

function lengthsOf(seconds: Engine['seconds']): string {
  return 'min' in seconds ? `${seconds.min}–${seconds.max} s` : `${seconds.oneOf.join(', ')} s`;
}

function yes(is: boolean) {
  return is ? 'yes' : <span className="soft">–</span>;
}
