import { Send, Square } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useAccounts } from '../data/account-and-clock.ts';
import { useFilter } from '../data/addresses.ts';
import { useMedia, useStore } from '../data/browser.ts';
import { asCurl } from '../data/code-samples.ts';
import { Button, Choices, Section } from '../pieces/page-parts.tsx';
import { Code } from '../pieces/values.tsx';
import { AnswerView } from './answer-view.tsx';
import { BodyForm } from './body-form.tsx';
import { WRITERS } from './call-code.ts';
import { CallRunner } from './call-runner.ts';
import { type DraftedCall, draftedCall, draftStore, missingIn, PriceLine, usePrice } from './drafted-call.tsx';
import type { ServiceCall } from './read-document.ts';

/** One operation: its form, its price, its answer, and the same call as code. */
export function CallWorkbench({ call }: { call: ServiceCall }) {
  const { account, isFirst } = useAccounts();
  useStore(draftStore);
  const draft = draftStore.of(call);
  const drafted = draftedCall(call, draft);
  const [runner] = useState(() => new CallRunner());
  const state = useStore(runner);
  useEffect(() => () => runner.stop(), [runner]);
  const price = usePrice(drafted);
  const missing = missingIn(call, draft);
  const result = useRef<HTMLDivElement>(null);
  const isStacked = useMedia('(max-width: 860px)');
  const isUnderWay = state.phase !== 'idle' && state.phase !== 'done';
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!account || missing || isUnderWay) return;
    void runner.send(drafted, account.id);
    if (isStacked) result.current?.scrollIntoView();
  };
  return (
    <div className="workbench grow">
      <form className="workbench-form column" aria-label={call.summary} onSubmit={send}>
        <div className="drawer-body stack fill scrolls" tabIndex={0} role="region" aria-label="Fields">
          <h2>
            <code>
              {call.method} {call.path}
            </code>
          </h2>
          <p className="soft">{call.summary}</p>
          <Presets call={call} />
          <BodyForm
            call={call}
            draft={draft}
            refusal={price.data?.refusal ?? null}
            onChange={(name, value) => draftStore.put(call.id, { ...draft, [name]: value })}
          />
        </div>
        <div className="workbench-send row padded sunken">
          <PriceLine price={price.data} missing={missing} balance={account?.credits} />
          {isUnderWay ? (
            <Button text="Leave it" icon={Square} onClick={() => runner.stop()} />
          ) : (
            <Button text="Send" variant="primary" type="submit" icon={Send} disabled={missing !== undefined} />
          )}
        </div>
      </form>
      <div ref={result} className="drawer-body scrolls" tabIndex={0} role="region" aria-label="Result">
        <AnswerView operation={call.id} state={state} />
        <CodeTabs call={drafted} isFirst={isFirst} />
      </div>
    </div>
  );
}

function Presets({ call: { id, presets } }: { call: ServiceCall }) {
  if (presets.length < 2) return null;
  return (
    <div className="row wrap" role="group" aria-label="Examples">
      {presets.map(([name, draft]) => (
        <Button text={name} key={name} onClick={() => draftStore.put(id, draft)} />
      ))}
    </div>
  );
}

/** The same call as code. */
export function CodeTabs({ call, isFirst }: { call: DraftedCall; isFirst: boolean }) {
  const [language, setLanguage] = useFilter('code', 'curl');
  const write = WRITERS[language as keyof typeof WRITERS] ?? asCurl;
  return (
    <Section
      title="Code"
      tools={<Choices label="Language" value={language} options={LANGUAGES} onChange={setLanguage} />}
    >
      <Code text={write(shortFiles(call), isFirst)} label="The call as code" />
    </Section>
  );
}

const LANGUAGES = [
  ['curl', 'curl'],
  ['openai', 'openai'],
  ['fetch', 'fetch'],
  ['python', 'python'],
] as const;

/** Files that were chosen in the page are long: code names them in short. */
function shortFiles(call: DraftedCall): DraftedCall {
  const request = call.request?.replaceAll(/"(data:[\w./+-]+;base64,)[\w+/=]{200,}"/g, '"$1…"');
  return { ...call, request: request ?? null };
}
