// How a tool that failed half way is handled [S32]: what the manifest or an operator says of it; then what its annotations
// say, where its server is trusted and says the same as when it was believed; then whoever is asked.

import type { ToolRule } from '../../model/agent-plan.ts';
import type { EffectClass } from '../../model/effects.ts';
import type { Decider } from '../../model/tools.ts';

export interface Annotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
}

export interface ClassFacts {
  readonly rule: ToolRule;
  readonly isTrusted: boolean;
  readonly annotations: Annotations;
  readonly fingerprint: string;
  /** Of what it said when it was believed; null where it never was. */
  readonly believed: string | null;
}

export interface ClassDecision {
  readonly class: EffectClass;
  readonly decidedBy: Decider;
  /** Why it is not what somebody said it is. */
  readonly problem: string | null;
}

export function decideClass({
  rule,
  isTrusted,
  annotations,
  fingerprint,
  believed,
}: ClassFacts): ClassDecision {
  if (rule.class !== undefined) return byRule(rule, rule.class);
  const claimed = isTrusted ? claimOf(annotations, rule) : 'ask';
  if (claimed === 'ask') return { class: 'ask', decidedBy: 'default', problem: null };
  if (believed === null || believed === fingerprint) {
    return { class: claimed, decidedBy: 'annotation', problem: null };
  }
  const problem =
    'says something else of itself than when it was first believed, so a call in doubt is asked about';
  return { class: 'ask', decidedBy: 'changed', problem };
}

function byRule({ keyArgument }: ToolRule, wanted: EffectClass): ClassDecision {
  const asked = (why: string): ClassDecision => ({
    class: 'ask',
    decidedBy: 'manifest',
    problem: `is to be ${wanted}, but ${why}, so a call in doubt is asked about`,
  });
  if (wanted === 'idempotent' && keyArgument === undefined)
    return asked('no argument is named that takes the key');
  if (wanted === 'reconcile') return asked('a server of tools can not be asked what became of a call');
  return { class: wanted, decidedBy: 'manifest', problem: null };
}

/** What its server claims, as far as that can be used: without an argument that takes the key no call can be repeated. */
function claimOf(
  { readOnlyHint, destructiveHint, idempotentHint }: Annotations,
  rule: ToolRule,
): EffectClass {
  if (readOnlyHint === true) return destructiveHint === true ? 'ask' : 'retry';
  return idempotentHint === true && rule.keyArgument !== undefined ? 'idempotent' : 'ask';
}
