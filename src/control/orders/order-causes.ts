import { extractDirectives } from '../../engine/faults/directives.ts';
import { effectDefinition, effectKind } from '../../engine/faults/effects/effect-table.ts';
import { type FaultRule, findFaultRule } from '../../engine/faults/fault-store.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { Context } from '../../service/http/context.ts';

export type AppliedRule = Pick<FaultRule, 'id' | 'match' | 'effect' | 'times'>;

export type DeliberateCauses = ReturnType<typeof findDeliberateCauses>;

const DIRECTIVE = /\[\[[a-z]+(?::[^\]"\\]{1,70})?\]\]/g;

export function findDeliberateCauses(context: Context, request: JournalEntry | undefined) {
  const { fault, other_faults: others = [], request: body } = request ?? {};
  const ids = fault === undefined ? [] : [fault, ...others];
  const written = body?.match(DIRECTIVE) ?? [];
  return {
    rules: ids.flatMap((id) => ruleOf(context, id) ?? []),
    directives: [...new Set(written)].filter((each) => extractDirectives(each).text === ''),
  };
}

function ruleOf({ database, records: { audit } }: Context, id: string): AppliedRule | undefined {
  const deletion = { kind: 'deletion', ref: id, before: Number.MAX_SAFE_INTEGER, limit: 1 } as const;
  return findFaultRule(database, id) ?? (audit.list(deletion)[0]?.detail.was as AppliedRule | undefined);
}

export function ruleTitle({ match: scoped, effect, times }: AppliedRule): string {
  const { account_id: _account, test: _test, ...match } = scoped;
  const row = effectDefinition(effectKind(effect));
  const isSame = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b);
  const preset = row.presets?.find(
    (each) => times === each.times && isSame(effect, each.effect) && isSame(match, each.match),
  );
  return preset?.text ?? row.words(effect);
}

export function describeSelectedCauses({ rules, directives }: DeliberateCauses, wanted: readonly string[]): string[] {
  return [
    ...rules.flatMap((rule) => (wanted.includes(effectKind(rule.effect)) ? `Fault rule “${ruleTitle(rule)}”.` : [])),
    ...directives.flatMap((each) =>
      wanted.some((word) => each.startsWith(`[[${word}`)) ? `The prompt contains ${each}.` : [],
    ),
  ];
}
