import * as icons from 'lucide-react';
import { Repeat, ShieldCheck, X } from 'lucide-react';
import { useState } from 'react';
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
import { LinkButton, Section, SegmentedControl, showToast } from '../components/page-parts.tsx';
import { Badge, formatNumber, IdChip, JsonView, RelativeTime } from '../components/values.tsx';
import { useAccountSelection, useEmulatorTime } from '../data/account-and-clock.ts';
import { useUrlParam } from '../data/addresses.ts';
import { areaPathBuilders } from '../data/areas.ts';
import { callControl } from '../data/call-api.ts';
import { useFaultEffectDefinitions } from '../data/holds.ts';
import { useLocalSearch, useRows } from '../data/queries.ts';
import type { Account, FaultEffectDefinition, FaultRule, Hold } from '../data/records.ts';

export function RuleList(opening: OpenRowProps) {
  const { account } = useAccountSelection();
  const columns: readonly ListColumn<Rule>[] = [
    column('State', '80px', (rule) => <RuleState rule={rule} />, { line: 1 }),
    textColumn('Effect', 'minmax(180px, 3fr)', ({ text }) => text, { line: 1, grow: true }),
    textColumn('Match', 'minmax(120px, 3fr)', ({ match }) => matchText(match, account?.id), { line: 2, grow: true }),
    column('Applied', '88px', appliedText, { align: 'end', line: 2 }),
    column('Chance', '64px', ({ probability }) => `${Math.round(probability * 1000) / 10} %`, {
      align: 'end',
      wide: true,
    }),
    relativeTimeColumn('Created', ({ created }) => created, { wide: true }),
    column('Remove', '56px', removeCell, { line: 1 }),
  ];
  return (
    <>
      <FaultPresets account={account} />
      <RecordList
        {...{ label: 'Fault rules', search: 'Search rules', columns, found: useLocalSearch(useRules()) }}
        icon={ShieldCheck}
        none="No fault rules"
        hint="Add a preset above or your own rule to test how your app handles failures."
        toneOf={(rule) => (rule.applied === 0 ? undefined : 'wait')}
        {...opening}
      />
    </>
  );
}

function removeCell(rule: Rule) {
  return <ActionButton text={`Remove ${rule.id}`} icon={X} variant="quiet" isSmall act={() => removeRule(rule)} />;
}

function RuleState({ rule: { expires, times, applied } }: { rule: Rule }) {
  const now = useEmulatorTime();
  if (times !== 0 && applied >= times) return <Badge tone="plain">done</Badge>;
  if (expires === null) return <Badge tone="wait">active</Badge>;
  if (expires <= now) return <Badge tone="plain">expired</Badge>;
  return <Badge tone="wait">{roundedDurationText(expires - now)} left</Badge>;
}

/** The id in the address of the form that creates a rule. */
export const NEW_RULE_FORM_ID = 'new';

export function RuleDrawer({ id, onClose, onOpen }: TabDrawerProps) {
  const { data: rules, error, isPending } = useRules();
  if (id === NEW_RULE_FORM_ID) return <NewRuleDrawer onClose={onClose} onOpen={onOpen} />;
  return (
    <RecordDrawer
      {...{ label: 'Fault rule', id, error, onClose }}
      record={rules.find((each) => each.id === id)}
      gone="This rule was removed."
      isGone={!isPending}
      title={({ text }) => text}
      tools={(rule) => (
        <>
          <ActionButton
            text="Create again"
            icon={Repeat}
            act={() => createRule(definitionOf(rule))}
            toast={['Rule created']}
          />
          <ActionButton text="Remove" act={() => removeRule(rule)} onSuccess={onClose} />
          {rule.at ? (
            <LinkButton text="Held messages" href={areaPathBuilders.live()} />
          ) : (
            <LinkButton text="Affected requests" href={`${areaPathBuilders.live()}?q=${id}`} />
          )}
        </>
      )}
      details={(rule) => ({
        Rule: <IdChip id={id} />,
        State: <RuleState rule={rule} />,
        Applied: appliedText(rule),
        Match: matchText({ ...rule.match, account_id: undefined }),
        Account: rule.match.account_id && <IdChip id={rule.match.account_id} />,
        Chance: rule.probability === 1 ? null : `${formatNumber(rule.probability * 100)} % of matching requests`,
        Created: <RelativeTime at={rule.created} />,
        Expires: rule.expires === null ? null : <RelativeTime at={rule.expires} />,
      })}
    >
      {(rule) => (
        <Section title="Definition">
          <JsonView value={definitionOf(rule)} label="Fault rule" />
        </Section>
      )}
    </RecordDrawer>
  );
}

type FaultMatch = Partial<FaultRule['match']>;

type NewRule = WireInput<'createFault'> | WireInput<'createHold'>;

function createRule(rule: NewRule): Promise<{ id: string }> {
  return 'at' in rule ? callControl('createHold', rule) : callControl('createFault', rule);
}

/** A fault rule, or a hold, which has `at` instead of an effect. */
type Rule = Omit<FaultRule, 'effect' | 'remaining'> & { effect?: FaultRule['effect']; at?: Hold['at'] };

function definitionOf({ match, effect = {}, at, times, probability, ttl_seconds }: Rule): NewRule {
  return at ? { match, at, times } : { match, effect, times, probability, ttl_seconds: ttl_seconds ?? undefined };
}

function removeRule({ id, at }: Rule) {
  return callControl(at ? 'deleteHold' : 'deleteFault', { id });
}

const HOLDS = { request: 'Holds the request', answer: 'Holds the response', delivery: 'Holds the delivery' };

function ruleOfHold({ caught: applied, held, created, ...hold }: Hold): Rule {
  const text = HOLDS[hold.at] + (held.length === 0 ? '' : `, ${held.length} waiting`);
  const endless = { probability: 1, ttl_seconds: null, expires: null };
  return { ...hold, text, applied, created: Date.parse(created) / 1000, ...endless };
}

/** The fault rules and the holds. Holds come first, because messages may wait in them. */
function useRules() {
  const faults = useRows('listFaults', {});
  const holds = useRows('listHolds', {});
  const data: readonly Rule[] = [...(holds.data ?? []).map(ruleOfHold), ...(faults.data ?? [])];
  return { data, error: faults.error ?? holds.error, isPending: faults.isPending || holds.isPending };
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
  );
}

const HOLD = 'hold';

const FIRST_KIND = 'status';

const SCOPES = { all: 'All accounts', mine: 'This account' };

function ruleIn(draft: FormValues, kinds: readonly FaultEffectDefinition[], accountId: string | undefined): NewRule {
  const { kind: name, at, whose, chance, ttl_seconds: life } = draft;
  const given = MATCH.flatMap(({ name }) => (draft[name] ? [[name, draft[name]]] : []));
  const match: FaultMatch = { ...Object.fromEntries(given), account_id: whose === 'mine' ? accountId : undefined };
  const times = Number(draft.times);
  if (name === HOLD) return { match, times, at: at as Hold['at'] };
  const effect = buildEffectFromForm(kinds, draft);
  const probability = chance && chance !== '100' ? Number(chance) / 100 : undefined;
  return { match, effect, times, probability, ttl_seconds: life ? Number(life) : undefined };
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
  ['path', 'Path begins with', '/v1/images'],
  ['method', 'Method', 'POST'],
  ['model', 'Model', 'svc-rp-mini'],
  ['contains', 'Text contains', 'lighthouse'],
].map(([name = '', label, example]) => {
  const text = { label: `${label} (optional)`, placeholder: `e.g. ${example}` };
  return { name, type: 'text', ...text, isOptional: true, section: TO };
});
const WHOSE: FieldSpec = {
  name: 'whose',
  label: 'Accounts',
  type: 'choices',
  options: Object.entries(SCOPES),
  value: 'all',
  section: TO,
};

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
  const effect = buildEffectFields(kinds, name, [[HOLD, 'Hold until released']]);
  const what = [...effect, ...(name === HOLD ? [POINT] : [])].map((field) => ({ ...field, section: 'Effect' }));
  return [...what, ...MATCH, WHOSE, TIMES, ...(name === HOLD ? [] : CHANCE)];
}

function NewRuleDrawer({ onOpen, onClose }: Omit<TabDrawerProps, 'id'>) {
  const { account } = useAccountSelection();
  const kinds = useFaultEffectDefinitions();
  const [first] = useUrlParam('kind', FIRST_KIND);
  const readRule = (draft: FormValues) => ruleIn(draft, kinds, account?.id);
  return (
    <Drawer label="New rule" title="New rule" onClose={onClose}>
      <FieldsForm
        action="Create rule"
        send={(draft) => createRule(readRule(draft))}
        onSuccess={({ id }) => {
          showToast('Rule created');
          onOpen(id);
        }}
        after={(draft) => {
          const rule = readRule(draft);
          const [method, path] = requireOperationRoute('at' in rule ? 'createHold' : 'createFault');
          return (
            <Section title={`${method} ${path}`}>
              <JsonView value={rule} label="Request body" />
            </Section>
          );
        }}
        isDisabled={({ whose }) => whose === 'mine' && !account}
        fields={(draft) => fieldsOf(kinds, { kind: first, ...draft })}
      />
    </Drawer>
  );
}
