import {
  CopyPlus,
  FastForward,
  FileX,
  Hourglass,
  type LucideIcon,
  OctagonX,
  Scissors,
  ShieldAlert,
  TrafficCone,
  Unplug,
} from 'lucide-react';
import { useState } from 'react';
import { callControl } from '../data/call-api.ts';
import { type EffectKind, useEffects } from '../data/effects.ts';
import { useAct } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { Button } from '../pieces/button.tsx';
import { Choices } from '../pieces/choices.tsx';
import { say, sayError } from '../pieces/toast.tsx';

/** By the kind of what they do. */
const ICONS: Record<string, LucideIcon> = {
  status: TrafficCone,
  delay_ms: Hourglass,
  drop: Unplug,
  fail_job: OctagonX,
  job: FastForward,
  stream: Scissors,
  webhook: CopyPlus,
  cdn: FileX,
};

type Preset = EffectKind['presets'][number];

const SCOPES = [
  ['all', 'Every account'],
  ['mine', 'This account'],
] as const;

/** Rules that one click makes. */
export function FaultPresets({ account }: { account: Account | undefined }) {
  const [scope, setScope] = useState('all');
  const presets = useEffects().flatMap(({ kind, presets: own }) => own.map((preset) => ({ kind, preset })));
  const make = useAct(
    ({ match, effect, times }: Preset) => {
      const whose = scope === 'mine' && account ? { account_id: account.id } : {};
      return callControl('POST', '/faults', { match: { ...match, ...whose }, effect, times });
    },
    () => say('The rule is armed'),
  );
  return (
    <div className="presets" role="group" aria-label="Rules that one click makes">
      {presets.map(({ kind, preset }) => {
        const { text, note } = preset;
        const Icon = ICONS[kind] ?? ShieldAlert;
        return (
          <Button
            key={text}
            icon={<Icon aria-hidden />}
            title={note}
            disabled={make.isPending}
            onClick={() => make.mutate(preset, { onError: sayError })}
          >
            {text}
          </Button>
        );
      })}
      <Choices label="Whom they strike" value={scope} options={SCOPES} onChange={setScope} />
    </div>
  );
}
