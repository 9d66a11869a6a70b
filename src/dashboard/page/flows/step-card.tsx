import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { Button } from '../pieces/button.tsx';
import { SelectField } from '../pieces/select-field.tsx';
import { type FlowStep, STEP_ICONS, STEP_TYPES, type StepType } from './flow-records.ts';
import { ParamField } from './param-field.tsx';
import { isAlwaysShown, type StepField, useStepFields } from './step-fields.ts';
import type { TemplateOption } from './template-texts.ts';
import { errorAt, type FlowCheck } from './use-flow-check.ts';

interface StepCardProps {
  step: FlowStep;
  position: number;
  count: number;
  templates: readonly TemplateOption[];
  check: FlowCheck | undefined;
  onChange: (step: FlowStep) => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

const TYPES = STEP_TYPES.map((type) => ({ value: type, text: type }));

/** One step as a card: its type, its name and its params. Alt with an arrow key moves it. */
export function StepCard(props: StepCardProps) {
  const { step, position, check, onMove } = props;
  const path = `steps.${position}`;
  const own = check?.errors.find(({ param }) => param === path || param === `${path}.params`);
  const move = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1 as const, ArrowDown: 1 as const }[event.key];
    if (!event.altKey || by === undefined) return;
    event.preventDefault();
    onMove(by);
  };
  return (
    <section className="step-card" aria-label={`Step ${position + 1}`} onKeyDown={move}>
      <StepHead {...props} />
      {own && <p className="field-error">{own.message}</p>}
      <Params {...props} />
      <Ignored step={step} ignored={check?.ignored ?? []} path={path} />
    </section>
  );
}

function StepHead({ step, position, count, check, onChange, onMove, onRemove }: StepCardProps) {
  const Icon = STEP_ICONS[step.type];
  const number = position + 1;
  const error = errorAt(check, `steps.${position}.nodeId`);
  return (
    <>
      <div className="step-card-head">
        <span className="step-number">{number}</span>
        <Icon aria-hidden />
        <SelectField
          label={`Type of step ${number}`}
          value={step.type}
          options={TYPES}
          onChange={(type) => onChange(withType(step, type as StepType))}
        />
        <input
          className="input mono step-node"
          aria-label={`Name of step ${number}`}
          aria-invalid={error ? true : undefined}
          spellCheck={false}
          value={step.nodeId}
          onChange={(event) => onChange({ ...step, nodeId: event.target.value })}
        />
        <span className="page-head-gap" />
        <Button
          look="quiet"
          icon={<ArrowUp aria-hidden />}
          aria-label={`Move step ${number} up`}
          title="Move up (Alt ↑)"
          disabled={position === 0}
          onClick={() => onMove(-1)}
        />
        <Button
          look="quiet"
          icon={<ArrowDown aria-hidden />}
          aria-label={`Move step ${number} down`}
          title="Move down (Alt ↓)"
          disabled={number === count}
          onClick={() => onMove(1)}
        />
        <Button look="quiet" icon={<Trash2 aria-hidden />} aria-label={`Remove step ${number}`} onClick={onRemove} />
      </div>
      {error && <p className="field-error">{error}</p>}
    </>
  );
}

function Params({ step, position, templates, check, onChange }: StepCardProps) {
  const { type, params } = step;
  const fields = useStepFields(type);
  const shown = fields.filter(({ name }) => name in params || isAlwaysShown(type, name));
  const strange = Object.keys(params).filter((name) => !fields.some((each) => each.name === name));
  const hidden = fields.filter((field) => !shown.includes(field));
  const set = (name: string, value: unknown) => onChange({ ...step, params: withParam(params, name, value) });
  return (
    <div className="step-params">
      {[...shown, ...strange.map(strangeField)].map((field) => (
        <ParamField
          key={`${type} ${field.name}`}
          {...{ type, field, templates }}
          value={params[field.name]}
          onChange={(value) => set(field.name, value)}
          error={errorAt(check, `steps.${position}.params.${field.name}`)}
        />
      ))}
      {hidden.length > 0 && (
        <div>
          <SelectField
            label="Add a field"
            value=""
            options={[{ value: '', text: 'Add a field' }, ...hidden.map(({ name }) => ({ value: name, text: name }))]}
            onChange={(name) => set(name, '')}
          />
        </div>
      )}
    </div>
  );
}

/** A param that the type does not know, so that it can be seen and taken away. */
function strangeField(name: string): StepField {
  return { name, kind: 'json', note: 'not known to this type.', options: [], isRequired: false };
}

function Ignored(props: { step: FlowStep; ignored: readonly string[]; path: string }) {
  const own = props.ignored.filter((field) => field.startsWith(`${props.path}.`));
  if (own.length === 0) return null;
  return (
    <p className="step-ignored">Nothing knows {own.map((each) => each.split('.').at(-1)).join(', ')}: it is ignored.</p>
  );
}

function withParam(params: FlowStep['params'], name: string, value: unknown): FlowStep['params'] {
  const { [name]: _, ...rest } = params;
  if (value === undefined) return rest;
  return name in params ? { ...params, [name]: value } : { ...rest, [name]: value };
}

/** What was written stays where the other type has the same use for it. */
function withType(step: FlowStep, type: StepType): FlowStep {
  const { prompt, input, text } = step.params;
  const said = prompt ?? input ?? text;
  if (said === undefined) return { ...step, type, params: {} };
  const name = type === 'speech' ? 'input' : type === 'post' ? 'text' : 'prompt';
  return { ...step, type, params: { [name]: said } };
}
