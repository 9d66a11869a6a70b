import { type Held, releaseHeld, type ShownHoldPoint, useEffects } from '../data/holds.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { effectOf, type FormDraft, fieldsOfEffect, PopupForm } from '../pieces/form.tsx';

/** What one click does to what is held: its word, the effect it goes with, and what is said of it. */
type Release = readonly [text: string, effect: object | undefined, toast: string];

const OF_CALLS: readonly Release[] = [
  ['Let go', undefined, 'It goes on'],
  ['Lose answer', { lost_answer: true }, 'It is done, and its answer lost'],
];

const ACTION_COMMANDS: Record<ShownHoldPoint, readonly Release[]> = {
  request: OF_CALLS,
  answer: OF_CALLS,
  delivery: [
    ['Deliver', undefined, 'It is delivered'],
    ['Twice', { webhook: 'duplicate' }, 'It is delivered twice'],
    ['Later', { webhook: 'after_all' }, 'It is delivered when nothing else has started for 3 s'],
    ['Lose it', { webhook: 'drop' }, 'It is lost'],
  ],
};

export default function HeldTools({ held }: { held: Held }) {
  return (
    <span className="click-buttons row">
      {ACTION_COMMANDS[held.at].map(([text, effect, toast], at) => (
        <ActionButton
          key={text}
          text={text}
          variant={at === 0 ? 'primary' : 'plain'}
          act={() => releaseHeld(held, effect)}
          toast={[toast]}
        />
      ))}
      <OtherWay held={held} />
    </span>
  );
}

function OtherWay({ held }: { held: Held }) {
  const kinds = useEffects().filter(({ fits }) => fits.includes(held.at));
  const kindOf = (draft: FormDraft) => kinds.find((each) => each.kind === draft.kind) ?? kinds[0];
  const names = kinds.map(({ kind, text }) => [kind, text]);
  return (
    <PopupForm
      text={held.at === 'delivery' ? 'More…' : 'Answer…'}
      title={held.what}
      action="Let it go so"
      fields={(draft) => {
        const kind = kindOf(draft);
        if (!kind) return [];
        const effect = { name: 'kind', label: 'Effect', type: 'options', options: names, value: kind.kind } as const;
        return [...(kinds.length > 1 ? [effect] : []), ...fieldsOfEffect(kind)];
      }}
      send={async (draft) => {
        const kind = kindOf(draft);
        if (kind) await releaseHeld(held, effectOf(kind, draft));
      }}
    />
  );
}
