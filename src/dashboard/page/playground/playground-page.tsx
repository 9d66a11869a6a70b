import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { at, useFilter, useOpened } from '../data/addresses.ts';
import { useMedia, useStore } from '../data/browser.ts';
import { fetchApi } from '../data/call-api.ts';
import { SelectField } from '../pieces/form.tsx';
import { Button, ErrorNotice, FilterChoices, PageHead, Section, useChoice } from '../pieces/page-parts.tsx';
import {
  type Draft,
  type DraftedCall,
  draftedCall,
  draftStore,
  missingIn,
  readDocument,
  type ServiceCall,
  type ServiceDocument,
} from './drafted-call.tsx';
import './playground.css';
import { Send, Square } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useAccounts } from '../data/account-and-clock.ts';
import { asCurl, WRITERS } from '../data/code-samples.ts';
import { useRecord } from '../data/queries.ts';
import { Code, sentence } from '../pieces/values.tsx';
import { BodyForm } from './body-form.tsx';
import { AnswerView, CallRunner } from './call-answer.tsx';

export default function PlaygroundPage() {
  const { id = 'createChatCompletion' } = useOpened('playground');
  const { data: calls = [], error } = useCalls();
  const isWide = useMedia('(min-width: 1280px)');
  const call = calls.find((each) => each.id === id);
  useRecipe(call);
  return (
    <>
      <PageHead title="Playground">{!isWide && <OperationSelect calls={calls} id={id} />}</PageHead>
      <ErrorNotice error={error} />
      <div className="playground fill">
        {isWide && <OperationList calls={calls} id={id} />}
        {call && <CallWorkbench key={call.id} call={call} />}
      </div>
    </>
  );
}

function useCalls() {
  return useQuery({
    queryKey: ['service document'],
    queryFn: async (): Promise<ServiceCall[]> => {
      const response = await fetchApi('/openapi.json', { headers: { accept: 'application/json' } });
      // Its samples are for an emulator at the usual place.
      const text = (await response.text()).replaceAll('127.0.0.1:4600', window.location.host);
      return readDocument(JSON.parse(text) as ServiceDocument);
    },
  });
}

function OperationSelect({ calls, id }: { calls: readonly ServiceCall[]; id: string }) {
  const [, navigate] = useLocation();
  const options = calls.map((call) => [call.id, titleOfOperation(call.id), `${call.method} ${call.path}`]);
  return (
    <SelectField
      label="Operation"
      value={id}
      options={options}
      onChange={(chosen) => navigate(at.playground(chosen))}
    />
  );
}

/** `createChatCompletion` as `Create chat completion`. */
function titleOfOperation(id: string): string {
  return sentence(id.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

/** The first word of a path below /v1. */
function groupOf({ path }: ServiceCall): string {
  return sentence(path.split('/')[2] ?? '');
}

function OperationList({ calls, id }: { calls: readonly ServiceCall[]; id: string }) {
  const groups = [...new Set(calls.map(groupOf))];
  const linkTo = (each: string, title: string, note?: string) => (
    <li key={each}>
      <Link href={at.playground(each)} title={note} aria-current={each === id ? 'page' : undefined}>
        {title}
      </Link>
    </li>
  );
  return (
    <nav className="side-list fixed scrolls" aria-label="Operations">
      {groups.map((group) => (
        <section key={group}>
          <h2>{group}</h2>
          <ul>
            {calls
              .filter((call) => groupOf(call) === group)
              .map((call) => linkTo(call.id, titleOfOperation(call.id), `${call.method} ${call.path}`))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

/** Fills the form from a render that the address names: `?from=lib_…`; then the address is as before. */
function useRecipe(call: ServiceCall | undefined): void {
  const [from, setFrom] = useFilter('from');
  const { data } = useRecord<{ id: string; recipe: Draft }>(`/library/${from}`, {
    enabled: from !== '',
  });
  useEffect(() => {
    if (!call || data?.id !== from || from === '') return;
    draftStore.put(call.id, fittingDraft(call, data.recipe));
    setFrom('');
  });
}

/** Pictures are kept in short in a recipe: they are left out. */
function fittingDraft({ fields }: ServiceCall, recipe: Draft): Draft {
  const known = fields.filter(({ as, name }) => as !== 'picture' && name !== 'references');
  return Object.fromEntries(known.flatMap(({ name }) => (recipe[name] === undefined ? [] : [[name, recipe[name]]])));
}

function CallWorkbench({ call }: { call: ServiceCall }) {
  const { account, isFirst } = useAccounts();
  useStore(draftStore);
  const draft = draftStore.of(call);
  const drafted = draftedCall(call, draft);
  const [runner] = useState(() => new CallRunner());
  const state = useStore(runner);
  useEffect(() => () => runner.stop(), [runner]);
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
            onChange={(name, value) => draftStore.put(call.id, { ...draft, [name]: value })}
          />
        </div>
        <div className="workbench-send row padded sunken">
          <p className="soft grow">{missing}</p>
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

function CodeTabs({ call, isFirst }: { call: DraftedCall; isFirst: boolean }) {
  const write = WRITERS[useChoice(LANGUAGE) ?? ''] ?? asCurl;
  return (
    <Section title="Code" tools={<FilterChoices {...LANGUAGE} />}>
      <Code text={write(shortFiles(call), isFirst)} label="The call as code" />
    </Section>
  );
}

const LANGUAGE = {
  name: 'code',
  label: 'Language',
  options: Object.fromEntries(Object.keys(WRITERS).map((name) => [name, name])),
};

/** Files that were chosen in the page are long: code names them in short. */
function shortFiles(call: DraftedCall): DraftedCall {
  const request = call.request?.replaceAll(/"(data:[\w./+-]+;base64,)[\w+/=]{200,}"/g, '"$1…"');
  return { ...call, request: request ?? null };
}
