import { useState } from 'react';
import { type Held, type HoldPoint, letGo, useEffects } from '../data/effects.ts';
import { useAct } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { ChoiceField } from '../pieces/choice-field.tsx';
import { type Draft, effectOf } from '../pieces/effect-draft.ts';
import { EffectFields } from '../pieces/effect-fields.tsx';
import { PopupForm } from '../pieces/popup-form.tsx';
import { say, sayError } from '../pieces/toast.tsx';

/** What one click does to what is held: its word, the effect it goes with, and what is said of it. */
type Deed = readonly [text: string, effect: object | undefined, said: string];

const OF_CALLS: readonly Deed[] = [
  ['Let go', undefined, 'It goes on'],
  ['Lose answer', { lost_answer: true }, 'It is done, and its answer lost'],
];

const DEEDS: Record<HoldPoint, readonly Deed[]> = {
  request: OF_CALLS,
  answer: OF_CALLS,
  delivery: [
    ['Deliver', undefined, 'It is delivered'],
    ['Twice', { webhook: 'duplicate' }, 'It is delivered twice'],
    ['Later', { webhook: 'after_all' }, 'It is delivered when nothing else has begun for 3 s'],
    ['Lose it', { webhook: 'drop' }, 'It is lost'],
  ],
};

/** What can be done with a message that waits. */
export default function HeldTools({ held }: { held: Held }) {
  const go = useAct(
    async ([, effect, said]: Deed) => {
      await letGo(held, effect);
      return said;
    },
    (said) => say(said, undefined, 'good'),
  );
  return (
    <span className="click-buttons">
      {DEEDS[held.at].map((deed, at) => (
        <Button
          key={deed[0]}
          look={at === 0 ? 'primary' : 'plain'}
          disabled={go.isPending}
          onClick={() => go.mutate(deed, { onError: sayError })}
        >
          {deed[0]}
        </Button>
      ))}
      <OtherWay held={held} />
    </span>
  );
}

/** Any other effect with which it can be let go. */
function OtherWay({ held }: { held: Held }) {
  const kinds = useEffects().filter(({ fits }) => fits.includes(held.at));
  const [draft, setDraft] = useState<Draft>({});
  const kind = kinds.find((each) => each.kind === draft.kind) ?? kinds[0];
  const set = (name: string) => (value: string) => setDraft({ ...draft, [name]: value });
  return (
    <PopupForm
      trigger={<Button>{held.at === 'delivery' ? 'More…' : 'Answer…'}</Button>}
      title={held.what}
      action="Let it go so"
      onSend={async () => kind && letGo(held, effectOf(kind, draft))}
    >
      {kind && kinds.length > 1 && (
        <ChoiceField
          label="Effect"
          value={kind.kind}
          options={kinds.map(({ kind: value, text }) => ({ value, text }))}
          onChange={set('kind')}
        />
      )}
      {kind && <EffectFields {...{ kind, draft }} onChange={set} />}
    </PopupForm>
  );
}
