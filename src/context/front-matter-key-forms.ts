/** The forms of values of front matter keys: how they are read, and their JSON Schemas (CC-27, CC-30). */
import { z } from 'zod';
import { fixedLimits } from '../settings.ts';
import { splitAtCommas } from '../texts/bare-values.ts';
import { ownValue } from '../texts/own-value.ts';
import { pointerTo, type Report, type SourceNode } from '../texts/source-tree.ts';
import type { WarningCode } from '../warning-codes.ts';
import { ItemType, priorityRange, Trigger } from './item-values.ts';

/** Where a value is. `above`: the values of the keys that come earlier in the table. */
type At = { key: string; report: Report; above: Readonly<Record<string, unknown>> };

/**
 * `read` returns undefined for a value that counts as not written, and reports a wrong form. `quotes`: which values may
 * lack quotes.
 */
export type Form<Value> = {
  read(node: SourceNode, at: At): Value | undefined;
  schema: z.ZodType;
  quotes?: 'text' | 'patterns';
};

function wrong({ key, report }: At, { offset }: SourceNode, message: string): undefined {
  report({ code: 'invalid_property', message, offset, pointer: `/${key}` });
}

export const text: Form<string> = {
  read: (node, at) =>
    typeof node.value === 'object'
      ? wrong(at, node, `"${at.key}" must be text. It is ignored.`)
      : (node.text ?? '').trim() || undefined,
  schema: z.string(),
  quotes: 'text',
};

/** A text that `accept` turns into the value. `form` says what it must be, for messages. */
function textOf<Value>(accept: (value: string) => Value | undefined, form: string, schema: z.ZodType): Form<Value> {
  return {
    read(node, at) {
      const value = text.read(node, at);
      if (value === undefined) return undefined;
      return accept(value) ?? wrong(at, node, `"${at.key}" must be ${form}. It is ignored.`);
    },
    schema,
  };
}

/**
 * A name for mentions: up to 128 visible characters and single spaces. `:` is not allowed, because it marks the owner
 * in names made from paths (AG-03), and no file may claim to belong to another owner.
 */
const nameForm = /^(?=.{1,128}$)(?:[^\p{C}\p{Z}:]| (?! |$))+$/u;

export function isName(value: string): boolean {
  return nameForm.test(value);
}

export const name = textOf(
  (value) => (isName(value) ? value : undefined),
  'at most 128 visible characters and single spaces, without ":"',
  z.string().max(128),
);

export const itemType = textOf(
  (value) => ItemType.safeParse(value.toLowerCase()).data,
  '"rule" or "reference"',
  inAnyCase(ItemType.options),
);

export const flag: Form<boolean> = {
  read: (node, at) =>
    typeof node.value === 'boolean'
      ? node.value
      : wrong(at, node, `"${at.key}" must be true or false, without quotes. It is ignored.`),
  schema: z.boolean(),
};

const { lowest, highest } = priorityRange;

/** Only plain decimals, because people read `0o17`, `017` and `5.0` differently. */
export const priority: Form<number> = {
  read(node, at) {
    if (typeof node.value === 'number' && /^(?:0|[1-9]\d{0,2})$/u.test(node.text ?? '')) return node.value;
    const message = `"${at.key}" must be a whole number from ${lowest} to ${highest}. ${priorityRange.default} is used.`;
    return wrong(at, node, message);
  },
  schema: z.int().min(lowest).max(highest),
};

/**
 * Patterns in a list or a comma list. No pattern counts as no key. Commas also split the entries of a list, except
 * inside braces. A written list stays a list, even if every pattern in it was dropped.
 */
export const patterns: Form<string[]> = {
  read(node, at) {
    const { patterns: maxPatterns, patternLength } = fixedLimits.request;
    const items = Array.isArray(node.value) ? node.value : [node];
    const wrongPattern = ({ offset }: SourceNode, pointer: string, message: string): void =>
      at.report({ code: 'invalid_property', message, offset, pointer });
    const written = items.flatMap((item, index) => {
      const pointer = item === node ? `/${at.key}` : pointerTo(`/${at.key}`, index);
      if (item.value === null) return [];
      if (typeof item.value !== 'string') {
        wrongPattern(item, pointer, 'A glob pattern must be text. It is ignored.');
        return [];
      }
      return item.value
        .split('\n')
        .flatMap((line) => splitAtCommas(line).map((part) => ({ pattern: unquote(part.text), pointer, item })))
        .filter(({ pattern }) => pattern !== '');
    });
    if (written.length === 0) return undefined;
    for (const { pattern, pointer, item } of written) {
      if (pattern.length > patternLength)
        wrongPattern(item, pointer, `A glob pattern is longer than ${patternLength} characters. It is ignored.`);
    }
    const kept = [
      ...new Set(written.map(({ pattern }) => pattern).filter((pattern) => pattern.length <= patternLength)),
    ];
    if (kept.length > maxPatterns)
      wrong(at, node, `There are ${kept.length} glob patterns; only the first ${maxPatterns} are used.`);
    return kept.slice(0, maxPatterns);
  },
  schema: z.union([z.string(), z.array(z.string().nullable())]),
  quotes: 'patterns',
};

/** `"a", "b"` without a list: the quotes are not part of the patterns. */
function unquote(pattern: string): string {
  return /^(["']).*\1$/u.test(pattern) && pattern.length > 1 ? pattern.slice(1, -1).trim() : pattern;
}

/** Words of other tools for a trigger. They have no effect, but the warning names our word. */
const wordsOfOtherTools: Readonly<Record<string, Trigger>> = {
  always_on: 'always',
  glob: 'auto',
  model_decision: 'agent',
};

/** CC-30: an unknown trigger, or an `agent` file without a description, counts as `manual`. */
export const trigger: Form<Trigger> = {
  read(node, at) {
    if (node.value === '') return undefined;
    const choices = Trigger.options.map((option) => `"${option}"`).join(', ');
    const unknown = `"${at.key}" must be one of ${choices}. "manual" is used.`;
    if (typeof node.value !== 'string') return wrong(at, node, unknown);
    const refuse = (code: WarningCode, message: string): undefined =>
      at.report({ code, message, offset: node.offset, pointer: `/${at.key}` }) as undefined;
    const written = node.value.trim().toLowerCase();
    const { data } = Trigger.safeParse(written === 'pattern' ? 'auto' : written);
    if (data === undefined) {
      const meant = ownValue(wordsOfOtherTools, written);
      return refuse(
        'unknown_trigger',
        meant === undefined ? unknown : `"${written}" is "${meant}" here. Until you write that, "manual" is used.`,
      );
    }
    if (data !== 'agent' || at.above.description || at.above.instructions) return data;
    const message = 'A file with trigger "agent" needs a "description" or "instructions". "manual" is used.';
    return refuse('agent_without_description', message);
  },
  schema: inAnyCase([...Trigger.options, 'pattern']),
};

/** The values for completion, and a pattern for the same values in any case. */
function inAnyCase(values: readonly string[]): z.ZodType {
  const letter = (character: string): string => `[${character}${character.toUpperCase()}]`;
  const words = values.map((value) => [...value].map(letter).join(''));
  return z.union([
    z.enum(values as [string, ...string[]]),
    z.string().regex(new RegExp(`^(?:${words.join('|')})$`, 'u')),
  ]);
}

/**
 * A key of another tool that contextd does not use, with any value. Returns true if it is written. `instead` completes
 * the warning after the name.
 */
export function notUsed(instead: string): Form<true> {
  return {
    read(node, { key, report }) {
      const message = `"${key}" is not used here: ${instead}.`;
      report({ code: 'unsupported_property', message, offset: node.offset, pointer: `/${key}` });
      return true;
    },
    schema: z.unknown(),
    quotes: 'text',
  };
}

/** The same, but an empty list differs from no list. */
export const patternsOrNone: Form<string[]> = {
  ...patterns,
  read: (node, at) =>
    patterns.read(node, at) ?? (Array.isArray(node.value) && node.value.length === 0 ? [] : undefined),
};

/** The words of another tool, each with its meaning here. */
export function oneOf<Means>(words: Readonly<Record<string, Means>>): Form<Means> {
  const names = Object.keys(words);
  const shown = names.map((word) => `"${word}"`).join(', ');
  return textOf((value) => ownValue(words, value), `one of ${shown}`, z.enum(names));
}
