import { ActionButton } from '../components/action-button.tsx';
import { buildEffectFields, buildEffectFromForm, PopupForm } from '../components/form.tsx';
import {
  type FaultEffectInput,
  type HeldMessageRow,
  releaseHeldMessage,
  useFaultEffectDefinitions,
} from '../data/holds.ts';

type Release = readonly [text: string, effect: FaultEffectInput | undefined, toast: string];

const OF_CALLS: readonly Release[] = [
  ['Continue', undefined, 'Continued'],
  ['Drop response', { lost_response: true }, 'Processed without a response'],
];

const ACTION_COMMANDS: Record<HeldMessageRow['at'], readonly Release[]> = {
  request: OF_CALLS,
  answer: OF_CALLS,
  delivery: [
    ['Deliver', undefined, 'Delivered'],
    ['Deliver twice', { webhook: 'duplicate' }, 'Delivered twice'],
    ['Deliver last', { webhook: 'after_all' }, 'Delivered after 3 s without other activity'],
    ['Drop', { webhook: 'drop' }, 'Dropped'],
  ],
};

export default function HeldMessageActions({ held }: { held: HeldMessageRow }) {
  const kinds = useFaultEffectDefinitions().filter(({ fits }) => fits.includes(held.at));
  return (
    <span className="click-buttons row">
      {ACTION_COMMANDS[held.at].map(([text, effect, toast], at) => (
        <ActionButton
          key={text}
          text={text}
          variant={at === 0 ? 'primary' : 'plain'}
          act={() => releaseHeldMessage(held, effect)}
          toast={[toast]}
        />
      ))}
      <PopupForm
        text={held.at === 'delivery' ? 'More…' : 'Respond…'}
        title={held.what}
        action="Apply"
        fields={({ kind = kinds[0]?.kind }) => buildEffectFields(kinds, kind)}
        send={(draft) => releaseHeldMessage(held, buildEffectFromForm(kinds, draft))}
      />
    </span>
  );
}
