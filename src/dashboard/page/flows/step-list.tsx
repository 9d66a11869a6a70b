import { useId, useLayoutEffect, useRef } from 'react';
import { Button } from '../pieces/button.tsx';
import { addedStep, movedStep, removedStep } from './edit-steps.ts';
import { type FlowDefinition, type FlowStep, STEP_ICONS, STEP_KEY, STEP_TYPES } from './flow-records.ts';
import { StepCard } from './step-card.tsx';
import { templatesFor } from './template-texts.ts';
import { errorAt, type FlowCheck } from './use-flow-check.ts';

interface StepListProps {
  definition: FlowDefinition;
  check: FlowCheck | undefined;
  onChange: (definition: FlowDefinition) => void;
}

/** A flow as cards, in the order in which they are worked off. */
export function StepList({ definition, check, onChange }: StepListProps) {
  const { steps } = definition;
  const nameId = useId();
  const setSteps = (changed: FlowStep[]) => onChange({ ...definition, steps: changed });
  const holdFocus = useHeldFocus(steps);
  const nameError = errorAt(check, 'name');
  const none = check?.errors.find(({ param }) => param === 'steps');
  return (
    <>
      <h2 className="unseen">Steps</h2>
      <div className="field">
        <label className="field-label" htmlFor={nameId}>
          Name
        </label>
        <input
          id={nameId}
          className="input"
          dir="auto"
          aria-invalid={nameError ? true : undefined}
          value={definition.name}
          onChange={(event) => onChange({ ...definition, name: event.target.value })}
        />
        {nameError && <span className="field-error">{nameError}</span>}
      </div>
      {steps.map((step, position) => (
        <StepCard
          key={step[STEP_KEY]}
          {...{ step, position, check }}
          count={steps.length}
          templates={templatesFor(steps, position)}
          onChange={(changed) => setSteps(steps.with(position, changed))}
          onMove={(by) => {
            holdFocus();
            setSteps(movedStep(steps, position, by));
          }}
          onRemove={() => setSteps(removedStep(steps, position))}
        />
      ))}
      {none && <p className="field-error">{none.message}</p>}
      <div className="add-step" role="group" aria-label="Add a step">
        {STEP_TYPES.map((type) => {
          const Icon = STEP_ICONS[type];
          return (
            <Button
              key={type}
              icon={<Icon aria-hidden />}
              aria-label={`Add a step: ${type}`}
              onClick={() => setSteps(addedStep(steps, type))}
            >
              {type}
            </Button>
          );
        })}
      </div>
    </>
  );
}

/** What has the focus keeps it when its card is moved. */
function useHeldFocus(steps: readonly FlowStep[]): () => void {
  const held = useRef<Element>(null);
  useLayoutEffect(() => {
    if (steps.length > 0 && held.current instanceof HTMLElement) held.current.focus();
    held.current = null;
  }, [steps]);
  return () => {
    held.current = document.activeElement;
  };
}
