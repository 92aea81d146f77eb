/** The steps that lead to a verdict, recorded by the code that decides. Used by `explain`. */
import { z } from 'zod';
import { reasonCodes } from '../reason-codes.ts';
import type { Reason } from '../warnings.ts';

const stepRules = [
  ...['granted_roots', 'existence', 'sensitive', 'configuration', 'policy', 'ignore_file', 'format'],
  ...['working_directory', 'context_directory', 'include', 'import', 'includeFiles', 'excludeFiles'],
  ...['ignoreGlobalContext', 'ignoreAncestorContext', 'file_kind', 'file_type', 'content', 'disabled'],
  ...['duplicate', 'size', 'semantic', 'budget'],
  ...['trigger_always', 'trigger_auto', 'trigger_agent', 'trigger_manual'],
] as const;
export type StepRule = (typeof stepRules)[number];

/** The results of a rule, and the reasons for which it can leave something out. */
const stepOutcomes = [
  ...['passed', 'no_match', 'found', 'considered', 'active', 'available', 'truncated'],
  ...['contains', 'not_inside', 'absent', 'file', 'directory', 'other'],
  ...reasonCodes,
] as const;

/** One step: the rule, its result, and which file, line, pattern or limit decided. */
export const Step = z
  .object({
    rule: z
      .enum(stepRules)
      .describe('The rule that was checked, such as `excludeFiles`, `trigger_auto` or `granted_roots`.'),
    outcome: z.enum(stepOutcomes).describe('Result of the rule, such as `no_match`, `passed`, `active`.'),
    detail: z.string().optional().describe('What decided: a pattern with file and line, a limit, a name.'),
  })
  .meta({ id: 'Step', description: 'One step on the way to a verdict.' });
export type Step = z.infer<typeof Step>;

export type Trace = {
  step(path: string, step: Step): void;
  /** The steps of one path in the order in which they were taken. */
  stepsOf(path: string): Step[];
};

/** The step of a rule that excludes something or lets it pass. */
export function stepOf(rule: StepRule, reason: Reason | undefined): Step {
  if (reason === undefined) return { rule, outcome: 'passed' };
  return { rule, outcome: reason.code, detail: reason.detail };
}

export function createTrace(): Trace {
  const steps = new Map<string, Step[]>();
  return {
    step(path, step) {
      const known = steps.get(path);
      if (known === undefined) steps.set(path, [step]);
      else known.push(step);
    },
    stepsOf: (path) => steps.get(path) ?? [],
  };
}
