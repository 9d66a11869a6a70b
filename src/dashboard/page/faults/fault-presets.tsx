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
import { useEffects } from '../data/effects.ts';
import type { Account } from '../data/records.ts';
import { Act } from '../pieces/act.tsx';
import { Choices } from '../pieces/choices.tsx';

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

const SCOPES = [
  ['all', 'Every account'],
  ['mine', 'This account'],
] as const;

/** Rules that one click makes. */
export function FaultPresets({ account }: { account: Account | undefined }) {
  const [scope, setScope] = useState('all');
  const whose = scope === 'mine' && account ? { account_id: account.id } : {};
  return (
    <div className="presets row wrap ruled padded fixed" role="group" aria-label="Rules that one click makes">
      {useEffects().flatMap(({ kind, presets }) =>
        presets.map(({ text, note, match, effect, times }) => (
          <Act
            key={text}
            text={text}
            icon={ICONS[kind] ?? ShieldAlert}
            title={note}
            act={() => callControl('POST', '/faults', { match: { ...match, ...whose }, effect, times })}
            said={['The rule is armed']}
          />
        )),
      )}
      <span className="grow" />
      <Choices label="Whom they strike" value={scope} options={SCOPES} onChange={setScope} />
    </div>
  );
}
