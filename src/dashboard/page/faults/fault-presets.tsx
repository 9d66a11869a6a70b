import {
  CopyPlus,
  Hourglass,
  type LucideIcon,
  OctagonX,
  Scissors,
  ServerCrash,
  TrafficCone,
  Unplug,
} from 'lucide-react';
import { useState } from 'react';
import { callControl } from '../data/call-api.ts';
import { useAct } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { Button } from '../pieces/button.tsx';
import { Choices } from '../pieces/choices.tsx';
import { say, sayError } from '../pieces/toast.tsx';
import type { FaultOrder } from './fault-records.ts';

interface Preset extends FaultOrder {
  text: string;
  icon: LucideIcon;
  /** What happens, as a person reads it. */
  note: string;
}

const PRESETS: readonly Preset[] = [
  {
    ...{ text: 'The next take fails', icon: OctagonX },
    note: 'The next paid call fails at its work, and is refunded',
    ...{ match: {}, effect: { fail_job: 'render_failed' }, times: 1 },
  },
  {
    ...{ text: 'Slow network', icon: Hourglass },
    note: 'Every request waits 1.5 seconds, until the rule is removed',
    ...{ match: {}, effect: { delay_ms: 1500 }, times: 0 },
  },
  {
    ...{ text: 'Webhooks twice', icon: CopyPlus },
    note: 'Every delivery comes twice, until the rule is removed',
    ...{ match: {}, effect: { webhook: 'duplicate' }, times: 0 },
  },
  {
    ...{ text: 'Rate limited', icon: TrafficCone },
    note: 'The next three requests are answered 429, retry after 2 seconds',
    ...{ match: { path: '/v1' }, times: 3 },
    effect: { status: 429, code: 'rate_limited', retry_after: 2 },
  },
  {
    ...{ text: 'Stream cut', icon: Scissors },
    note: 'The next streamed chat dies after five events',
    ...{ match: { path: '/v1/chat/completions' }, effect: { stream: { cut_after: 5 } }, times: 1 },
  },
  {
    ...{ text: 'Overloaded', icon: ServerCrash },
    note: 'The next two requests are answered 503',
    ...{ match: { path: '/v1' }, effect: { status: 503, code: 'overloaded' }, times: 2 },
  },
  {
    ...{ text: 'Connection lost', icon: Unplug },
    note: 'The next request gets no answer',
    ...{ match: { path: '/v1' }, effect: { drop: true }, times: 1 },
  },
];

const SCOPES = [
  ['all', 'Every account'],
  ['mine', 'This account'],
] as const;

/** Rules that one click makes. */
export function FaultPresets({ account }: { account: Account | undefined }) {
  const [scope, setScope] = useState('all');
  const make = useAct(
    ({ match, effect, times }: Preset) => {
      const whose = scope === 'mine' && account ? { account_id: account.id } : {};
      return callControl('POST', '/faults', { match: { ...match, ...whose }, effect, times });
    },
    () => say('The rule is armed'),
  );
  return (
    <div className="presets" role="group" aria-label="Rules that one click makes">
      {PRESETS.map((preset) => {
        const { text, note, icon: Icon } = preset;
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
