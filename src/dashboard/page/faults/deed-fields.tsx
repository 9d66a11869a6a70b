import type { EffectKind } from '../data/effects.ts';
import { ChoiceField } from '../pieces/choice-field.tsx';
import type { Draft } from '../pieces/effect-draft.ts';
import { EffectFields } from '../pieces/effect-fields.tsx';
import { HOLD } from './rule-order.ts';

const POINTS = [
  { value: 'request', text: 'The request, before its work' },
  { value: 'answer', text: 'The answer, after it' },
  { value: 'delivery', text: 'The delivery, before it is sent' },
];

interface DeedFieldsProps {
  kinds: readonly EffectKind[];
  draft: Draft;
  /** Sets the field of this name. */
  onChange: (name: string) => (value: string) => void;
}

/** What a rule does: one of the effects, or it holds what fits until somebody decides. */
export function DeedFields({ kinds, draft, onChange }: DeedFieldsProps) {
  const options = [
    ...kinds.map(({ kind, text }) => ({ value: kind, text })),
    { value: HOLD, text: 'Hold it until I decide' },
  ];
  const kind = kinds.find((each) => each.kind === draft.kind);
  return (
    <div className="rule-fields">
      <ChoiceField label="Effect" value={draft.kind ?? ''} options={options} onChange={onChange('kind')} />
      {kind && <EffectFields {...{ kind, draft, onChange }} />}
      {draft.kind === HOLD && (
        <ChoiceField label="What waits" value={draft.at ?? ''} options={POINTS} onChange={onChange('at')} />
      )}
    </div>
  );
}
