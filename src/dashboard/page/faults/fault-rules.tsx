import * as icons from 'lucide-react';
import { Repeat, ShieldCheck, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { requireOperationRoute, type WireInput } from '../../../control/call-operation.ts';
import { roundedDurationText } from '../../../control/orders/timeline-entry.ts';
import { ActionButton } from '../components/action-button.tsx';
import {
  column,
  type ListColumn,
  type OpenRowProps,
  RecordList,
  relativeTimeColumn,
  textColumn,
} from '../components/data-list.tsx';
import { Drawer, RecordDrawer, type TabDrawerProps } from '../components/drawer.tsx';
import {
  buildEffectFields,
  buildEffectFromForm,
  type FieldSpec,
  FieldsForm,
  type FormValues,
} from '../components/form.tsx';
import { LinkButton, LiveOnly, Section, SegmentedControl, showToast } from '../components/page-parts.tsx';
import { Badge, formatNumber, IdChip, JsonView, RelativeTime, type Tone } from '../components/values.tsx';
import { useAccountSelection, useEmulatorTime } from '../data/account-and-clock.ts';
import { useUrlParam } from '../data/addresses.ts';
import { areaPathBuilders } from '../data/areas.ts';
import { callControl, traceSource } from '../data/call-api.ts';
import { useFaultEffectDefinitions } from '../data/holds.ts';
import { useLocalSearch, useRows } from '../data/queries.ts';
import type { Account, FaultEffectDefinition, FaultRule, Hold } from '../data/records.ts';

const NONE = {
  icon: ShieldCheck,
  title: 'No fault rules',
  description: 'Add a preset above or your own rule to test how your app handles failures.',
};

export function RuleList(opening: OpenRowProps) {
  const { account } = useAccountSelection();
  const { rules, ...query } = useRules();
  const found = useLocalSearch(rules, query);
  const columns = useMemo(() => columnsFor(account?.id), [account?.id]);
  return (
    <>
      <FaultPresets account={account} />
      <RecordList
        {...{ label: 'Fault rules', search: 'Search rules', columns, none: NONE, found }}
        toneOf={(rule) => (rule.applied === 0 ? undefined : 'wait')}
        {...opening}
      />
    </>
  );
}

function columnsFor(accountId: string | undefined): readonly ListColumn<Rule>[] {
  const columns: readonly ListColumn<Rule>[] = [
    column('State', '80px', (rule) => <RuleState rule={rule} />, { line: 1 }),
    textColumn('Effect', 'minmax(180px, 3fr)', ({ text }) => text, { line: 1, grow: true }),
    textColumn('Match', 'minmax(120px, 3fr)', ({ match }) => matchText(match, accountId), { line: 2, grow: true }),
    column('Applied', '88px', appliedText, { align: 'end', line: 2 }),
    column('Chance', '64px', ({ probability }) => `${Math.round(probability * 1000) / 10} %`, {
      align: 'end',
      wide: true,
    }),
    relativeTimeColumn('Created', ({ created }) => created, { wide: true }),
    column('Remove', '56px', (rule) => <RemoveRule rule={rule} />, { line: 1 }),
  ];
  return traceSource.value ? columns.slice(0, -1) : columns;
}

function RuleState({ rule }: { rule: Rule }) {
  const { text, tone } = stateOf(rule, useEmulatorTime());
  return <Badge tone={tone}>{text}</Badge>;
}

function RemoveRule({ rule: { id, made } }: { rule: Rule }) {
  return (
    <ActionButton
      text={`Remove ${id}`}
      icon={X}
      variant="quiet"
      isSmall
      act={() => callControl(REMOVE[made.kind], { id })}
    />
  );
}

export function RuleDrawer({ id, onClose }: TabDrawerProps) {
  const { rules, error, isPending } = useRules();
  return (
    <RecordDrawer
      {...{ label: 'Fault rule', id, error, onClose }}
      record={rules.find((each) => each.id === id)}
      gone="This rule was removed."
      isGone={!isPending}
      title={({ text }) => text}
      tools={(rule) => <RuleTools rule={rule} onGone={onClose} />}
      details={detailsOf}
    >
      {({ made }) => (
        <Section title="Definition">
          <JsonView value={made.order} label="Fault rule" />
        </Section>
      )}
    </RecordDrawer>
  );
}

function RuleTools({ rule: { id, made }, onGone }: { rule: Rule; onGone: () => void }) {
  const isFault = made.kind === 'fault';
  return (
    <>
      <ActionButton text="Create again" icon={Repeat} act={() => createRule(made)} toast={['Rule created']} />
      <ActionButton text="Remove" act={() => callControl(REMOVE[made.kind], { id })} onSuccess={onGone} />
      <LinkButton
        text={isFault ? 'Affected requests' : 'Held messages'}
        href={areaPathBuilders.live() + (isFault ? `?q=${id}` : '')}
      />
    </>
  );
}

function detailsOf(rule: Rule) {
  const { id, match, probability, created, expires } = rule;
  return {
    Rule: <IdChip id={id} />,
    State: <RuleState rule={rule} />,
    Applied: appliedText(rule),
    Match: matchText({ ...match, account_id: undefined }),
    Account: match.account_id && <IdChip id={match.account_id} />,
    Chance: probability === 1 ? null : `${formatNumber(probability * 100)} % of matching requests`,
    Created: <RelativeTime at={created} />,
    Expires: expires === null ? null : <RelativeTime at={expires} />,
  };
}

type FaultMatch = Partial<FaultRule['match']>;

type NewRule = { kind: 'fault'; order: WireInput<'createFault'> } | { kind: 'hold'; order: WireInput<'createHold'> };

const CREATE = { fault: 'createFault', hold: 'createHold' } as const;
const REMOVE = { fault: 'deleteFault', hold: 'deleteHold' } as const;

function createRule({ kind, order }: NewRule): Promise<{ id: string }> {
  return kind === 'hold' ? callControl(CREATE.hold, order) : callControl(CREATE.fault, order);
}

interface Rule extends Pick<FaultRule, 'id' | 'text' | 'times' | 'applied' | 'probability' | 'created' | 'expires'> {
  match: FaultMatch;
  made: NewRule;
}

const HOLDS = { request: 'Holds the request', answer: 'Holds the response', delivery: 'Holds the delivery' };

function ruleOfFault(rule: FaultRule): Rule {
  const { match, effect, times, probability, ttl_seconds: life } = rule;
  const order = { match, effect, times, probability, ...(life === null ? {} : { ttl_seconds: life }) };
  return { ...rule, made: { kind: 'fault', order } };
}

function ruleOfHold({ id, match, at, times, caught: applied, held, created }: Hold): Rule {
  const waits = held.length === 0 ? '' : `, ${held.length} waiting`;
  const own = { id, match, text: HOLDS[at] + waits, times, applied, created: Date.parse(created) / 1000 };
  return { ...own, made: { kind: 'hold', order: { match, at, times } }, probability: 1, expires: null };
}

/** The fault rules and the holds. Holds come first, because messages may wait in them. */
function useRules() {
  const faults = useRows('listFaults', {});
  const holds = useRows('listHolds', {});
  const rules = useMemo(
    () => [...(holds.data ?? []).map(ruleOfHold), ...(faults.data ?? []).map(ruleOfFault)],
    [holds.data, faults.data],
  );
  return { rules, error: faults.error ?? holds.error, isPending: faults.isPending || holds.isPending };
}

function matchText({ path, method, model, contains, take, nth, account_id, test }: FaultMatch, accountId?: string) {
  const whose = account_id === accountId ? 'this account' : account_id;
  const words = {
    'request number': nth,
    take,
    of: account_id && whose,
    in: test,
    containing: contains && `“${contains}”`,
  };
  const parts = Object.entries(words).map(([word, value]) => value && `${word} ${value}`);
  return [method, path, model, ...parts].filter(Boolean).join(' ') || 'every request';
}

function appliedText({ applied, times }: Rule): string {
  return times === 0 ? `${formatNumber(applied)}, no limit` : `${applied} of ${times}`;
}

function stateOf(rule: Rule, now: number): { text: string; tone: Tone } {
  const { expires, times, applied } = rule;
  if (times !== 0 && applied >= times) return { text: 'done', tone: 'plain' };
  if (expires !== null && expires <= now) return { text: 'expired', tone: 'plain' };
  return { text: expires === null ? 'active' : `${roundedDurationText(expires - now)} left`, tone: 'wait' };
}

const ICONS: Record<string, icons.LucideIcon> = {
  status: icons.TrafficCone,
  delay_ms: icons.Hourglass,
  drop: icons.Unplug,
  fail_job: icons.OctagonX,
  job: icons.FastForward,
  stream: icons.Scissors,
  webhook: icons.CopyPlus,
  cdn: icons.FileX,
};

function FaultPresets({ account }: { account: Account | undefined }) {
  const [scope, setScope] = useState('all');
  const whose = scope === 'mine' && account ? { account_id: account.id } : {};
  return (
    <LiveOnly>
      <div className="presets row wrap ruled padded fixed" role="group" aria-label="Presets">
        {useFaultEffectDefinitions().flatMap(({ kind, presets }) =>
          presets.map(({ text, note, match, effect, times }) => (
            <ActionButton
              key={text}
              text={text}
              icon={ICONS[kind] ?? icons.ShieldAlert}
              title={note}
              disabled={scope === 'mine' && !account}
              act={() => callControl('createFault', { match: { ...match, ...whose }, effect, times })}
              toast={['Rule created']}
            />
          )),
        )}
        <span className="grow" />
        <SegmentedControl label="Scope" value={scope} options={SCOPES} onChange={setScope} />
      </div>
    </LiveOnly>
  );
}

const HOLD = 'hold';

const FIRST_KIND = 'status';

const SCOPES = { all: 'All accounts', mine: 'This account' };

function ruleIn(draft: FormValues, kinds: readonly FaultEffectDefinition[], accountId: string | undefined): NewRule {
  const { kind: name, at, times, chance, ttl_seconds: life } = draft;
  const [path, method, model, contains] = [draft.path, draft.method, draft.model, draft.contains].map(
    (text) => text || undefined,
  );
  const match = {
    path,
    method: method as FaultMatch['method'],
    model,
    contains,
    account_id: draft.whose === 'mine' ? accountId : undefined,
  };
  const rule = { match, times: Number(times) };
  if (name === HOLD) return { kind: 'hold', order: { ...rule, at: at as Hold['at'] } };
  const kind = kinds.find((each) => each.kind === name);
  const order = {
    ...{ match, effect: kind ? buildEffectFromForm(kind, draft) : {}, times: rule.times },
    probability: chance && chance !== '100' ? Number(chance) / 100 : undefined,
    ttl_seconds: life ? Number(life) : undefined,
  };
  return { kind: 'fault', order };
}

const POINT: FieldSpec = {
  name: 'at',
  label: 'Hold',
  type: 'options',
  value: 'request',
  options: [
    ['request', 'The request, before it is processed'],
    ['answer', 'The response, before it is sent'],
    ['delivery', 'The delivery, before it is sent'],
  ],
};

const TO = 'Match';
const MATCH: readonly FieldSpec[] = [
  ...[
    ['path', 'Path begins with', '/v1/images'],
    ['method', 'Method', 'POST'],
    ['model', 'Model', 'svc-rp-mini'],
    ['contains', 'Text contains', 'lighthouse'],
  ].map(([name = '', label = '', example = '']) => ({
    name,
    label: `${label} (optional)`,
    type: 'text' as const,
    isOptional: true,
    placeholder: `e.g. ${example}`,
    section: TO,
  })),
  { name: 'whose', label: 'Accounts', type: 'choices', options: Object.entries(SCOPES), value: 'all', section: TO },
];

const OFTEN = { type: 'number', section: 'How often' } as const;
const TIMES: FieldSpec = {
  ...OFTEN,
  name: 'times',
  label: 'Times',
  value: '1',
  max: 1_000_000,
  note: '0 for no limit.',
};
const CHANCE: readonly FieldSpec[] = [
  { ...OFTEN, name: 'chance', label: 'Chance, in %', value: '100', min: 0.01, max: 100, step: 'any' },
  {
    ...OFTEN,
    name: 'ttl_seconds',
    label: 'Expires after (seconds)',
    min: 1,
    isOptional: true,
    note: "By the emulator's clock.",
  },
];

function fieldsOf(kinds: readonly FaultEffectDefinition[], { kind: name = FIRST_KIND }: FormValues): FieldSpec[] {
  const kind = kinds.find((each) => each.kind === name);
  const names = [...kinds.map((each) => [each.kind, each.text]), [HOLD, 'Hold until released']];
  const effect: FieldSpec = { name: 'kind', label: 'Effect', type: 'options', options: names, value: name };
  const own = kind ? buildEffectFields(kind) : name === HOLD ? [POINT] : [];
  const what = [effect, ...own].map((field) => ({ ...field, section: 'Effect' }));
  return [...what, ...MATCH, TIMES, ...(name === HOLD ? [] : CHANCE)];
}

export function NewRuleDrawer({ onOpen, onClose }: TabDrawerProps) {
  const { account } = useAccountSelection();
  const kinds = useFaultEffectDefinitions();
  const [first] = useUrlParam('kind', FIRST_KIND);
  const made = ({ id }: { id: string }) => {
    showToast('Rule created');
    onOpen(id);
  };
  const send = (draft: FormValues) => createRule(ruleIn(draft, kinds, account?.id));
  const preview = (draft: FormValues) => {
    const { kind, order } = ruleIn(draft, kinds, account?.id);
    const [method, path] = requireOperationRoute(CREATE[kind]);
    return (
      <Section title={`${method} ${path}`}>
        <JsonView value={order} label="Request body" />
      </Section>
    );
  };
  return (
    <Drawer label="New rule" title="New rule" onClose={onClose}>
      <FieldsForm
        {...{ send, onSuccess: made, after: preview, action: 'Create rule' }}
        disabledReason={({ whose }) => whose === 'mine' && !account}
        fields={(draft) => fieldsOf(kinds, { kind: first, ...draft })}
      />
    </Drawer>
  );
}
