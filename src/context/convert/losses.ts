/**
 * What a format cannot express of a rule. The written rule is read back and compared, so no table of losses is needed.
 */
import { shorten, shortenList } from '../../texts/shorten.ts';
import type { Rule } from '../formats/format.ts';
import type { ContextFileSource } from '../front-matter.ts';
import { priorityRange } from '../item-values.ts';

export type KeyLoss = Readonly<{ key: string; message: string }>;

type Said = Pick<ContextFileSource, 'trigger' | 'globs' | 'description' | 'instructions' | 'name' | 'priority'> & {
  type?: Rule['type'];
  properties?: Record<string, unknown>;
};

const defaultGlobs = '["*"]';

/** The differences between `said`, as the target format is read, and the rule. */
export function lossesOf(rule: Rule, said: Said, title: string): KeyLoss[] {
  const losses: KeyLoss[] = [];
  const lose = (key: string, message: string): void => {
    losses.push({ key, message });
  };
  const globs = JSON.stringify(rule.globs);
  const isForSome = rule.trigger === 'auto' || (rule.trigger === 'agent' && globs !== defaultGlobs);
  if (rule.trigger !== said.trigger)
    lose(
      rule.trigger === 'auto' ? 'globs' : 'trigger',
      `${title} cannot express ${shownTrigger(rule)}; ${appliesWhen(said)}.`,
    );
  else if (isForSome && globs !== JSON.stringify(said.globs))
    lose('globs', `${title} cannot express ${shownGlobs(rule.globs)}; ${appliesWhen(said)}.`);
  for (const key of ['description', 'instructions', 'name'] as const) {
    const value = rule[key] ?? '';
    if (value !== '' && value !== said[key]) lose(key, `${title} has no "${key}" here: ${JSON.stringify(value)}.`);
  }
  if (rule.priority !== said.priority && rule.priority !== priorityRange.default)
    lose('priority', `${title} has no priority (${rule.priority}).`);
  if (rule.type === 'reference' && said.type !== 'reference')
    lose('type', `${title} does not distinguish references from rules.`);
  for (const key of Object.keys(rule.properties))
    if (!Object.hasOwn(said.properties ?? {}, key)) lose(key, `${title} does not support "${key}"; it is left out.`);
  return losses;
}

/** Whether a rule that waits to be chosen or mentioned would apply by itself. */
export function wouldApplyUnasked(rule: Rule, { trigger }: Said): boolean {
  const waits = (each: string): boolean => each === 'agent' || each === 'manual';
  return waits(rule.trigger) && !waits(trigger);
}

/** Why a rule is not converted that would apply by itself. */
export function unasked({ trigger }: Rule, title: string): string {
  const waits = trigger === 'agent' ? 'it applies when its description fits' : 'it waits for a mention';
  return `${waits}, and ${title} would apply it unasked`;
}

function appliesWhen({ trigger, globs }: Said): string {
  if (trigger === 'always') return 'there the rule always applies';
  if (trigger === 'auto') return `there the rule applies to ${shownGlobs(globs)}`;
  return trigger === 'agent'
    ? 'there the rule applies when its description fits'
    : 'there the rule waits for a mention';
}

function shownTrigger({ trigger, globs }: Rule): string {
  return trigger === 'auto' ? shownGlobs(globs) : `the trigger "${trigger}"`;
}

function shownGlobs(globs: readonly string[]): string {
  if (globs.length === 0) return 'no files';
  return shortenList(
    globs.map((pattern) => shorten(pattern, 100)),
    1,
  );
}
