import { Select } from '@base-ui/react/select';
import { ChevronsUpDown } from 'lucide-react';
import { callControl, recordSource } from '../data/call-api.ts';
import { useAct } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { say, sayError } from './toast.tsx';

/** Value and text of each, and what stands at the end of its line; without a text the value is it. */
export type Options = readonly (readonly string[])[];

interface SelectFieldProps {
  label: string;
  value: string;
  options: Options;
  onChange: (value: string) => void;
}

/** One of many of which the choice is done at once; a record of a run only tells it. */
export function SelectAct({ act, said, ...field }: SelectActProps) {
  const change = useAct(act, () => say(said[0], said[1], 'good'));
  const { value, options } = field;
  if (recordSource.value) return textOf(options, value);
  return <SelectField {...field} onChange={(to) => change.mutate(to, { onError: sayError })} />;
}

interface SelectActProps extends Omit<SelectFieldProps, 'onChange'> {
  act: (value: string) => Promise<unknown>;
  said: readonly [title: string, note?: string];
}

/** One of many. */
export function SelectField({ label, value, options, onChange }: SelectFieldProps) {
  const items = options.map(([each = '', text = each]) => ({ value: each, label: text }));
  return (
    <Select.Root items={items} value={value} onValueChange={(chosen) => chosen !== null && onChange(chosen)}>
      <Select.Trigger className="select" aria-label={label}>
        <Select.Value className="cut" />
        <Select.Icon render={<ChevronsUpDown aria-hidden />} />
      </Select.Trigger>
      <Select.Portal>
        <Select.Positioner className="popup-layer" sideOffset={4} alignItemWithTrigger={false}>
          <Select.Popup className="popup">
            <Select.List className="select-list scrolls">
              {options.map(([each = '', text = each, note]) => (
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

/** The text of one of them. */
export function textOf(options: Options, value: string): string {
  return options.find(([each]) => each === value)?.[1] ?? value;
}

export const PLANS: Options = [
  ['payg', 'Pay as you go', 'clips to 10 s'],
  ['hobby', 'Hobby', 'clips to 15 s'],
  ['creator', 'Creator', 'clips to 20 s'],
  ['studio', 'Studio', 'clips to 30 s'],
];

/** The plan of an account's workspace, to be changed for all of it. */
export function PlanField({ account: { workspace_id, plan: value } }: { account: Account }) {
  const act = (plan: string) => callControl('PATCH', `/workspaces/${workspace_id}`, { plan });
  const said = ['The plan of the workspace is another one'] as const;
  return <SelectAct label="Plan of the workspace" {...{ value, options: PLANS, act, said }} />;
}
