import { Select } from '@base-ui/react/select';
import { ChevronsUpDown } from 'lucide-react';
import { callControl, recordSource } from '../data/call-api.ts';
import { useAct } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { say, sayError } from './toast.tsx';

interface SelectOption {
  value: string;
  text: string;
  /** Stands at the end of its line. */
  note?: string | undefined;
}

interface SelectFieldProps {
  label: string;
  value: string;
  options: readonly SelectOption[];
  onChange: (value: string) => void;
}

/** One of many of which the choice is done at once; a record of a run only tells it. */
export function SelectAct({ act, said, ...field }: SelectActProps) {
  const change = useAct(act, () => say(said[0], said[1], 'good'));
  const { value, options } = field;
  if (recordSource.value) return options.find((each) => each.value === value)?.text ?? value;
  return <SelectField {...field} onChange={(to) => change.mutate(to, { onError: sayError })} />;
}

interface SelectActProps extends Omit<SelectFieldProps, 'onChange'> {
  act: (value: string) => Promise<unknown>;
  said: readonly [title: string, note?: string];
}

/** One of many. */
export function SelectField({ label, value, options, onChange }: SelectFieldProps) {
  const items = options.map(({ value: each, text }) => ({ value: each, label: text }));
  return (
    <Select.Root items={items} value={value} onValueChange={(chosen) => chosen !== null && onChange(chosen)}>
      <Select.Trigger className="select" aria-label={label}>
        <Select.Value className="cut" />
        <Select.Icon>
          <ChevronsUpDown aria-hidden />
        </Select.Icon>
      </Select.Trigger>
      <Select.Portal>
        <Select.Positioner className="popup-layer" sideOffset={4} alignItemWithTrigger={false}>
          <Select.Popup className="popup">
            <Select.List className="select-list scrolls">
              {options.map(({ value: each, text, note }) => (
                <Select.Item key={each} value={each} className="option">
                  <Select.ItemText>{text}</Select.ItemText>
                  {note && <span className="soft">{note}</span>}
                </Select.Item>
              ))}
            </Select.List>
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}

export const PLANS = [
  { value: 'payg', text: 'Pay as you go', note: 'clips to 10 s' },
  { value: 'hobby', text: 'Hobby', note: 'clips to 15 s' },
  { value: 'creator', text: 'Creator', note: 'clips to 20 s' },
  { value: 'studio', text: 'Studio', note: 'clips to 30 s' },
];

/** The plan of an account's workspace, to be changed for all of it. */
export function PlanField({ account: { workspace_id, plan: value } }: { account: Account }) {
  const act = (plan: string) => callControl('PATCH', `/workspaces/${workspace_id}`, { plan });
  const said = ['The plan of the workspace is another one'] as const;
  return <SelectAct label="Plan of the workspace" {...{ value, options: PLANS, act, said }} />;
}
