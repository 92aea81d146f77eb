/** Checks input of a caller by its schema, and describes mistakes. */

import type { z } from 'zod';
import { ContextdError, type FieldError } from '../errors.ts';
import { fixedLimits, protocol } from '../settings.ts';
import { pointerToken } from './source-tree.ts';

/**
 * Parses input. A field with `null` counts as absent if its schema does not allow `null`, and if only another
 * alternative has it (AN-01).
 */
export function parseInput<Value>(schema: z.ZodType<Value>, data: unknown): z.ZodSafeParseResult<Value> {
  const result = schema.safeParse(data);
  if (result.success) return result;
  const nulls = result.error.issues.flatMap(narrowUnion).flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [issue.path];
    return issue.keys.map((key) => [...issue.path, key]).filter((path) => isKnown(schema, path));
  });
  // Without any, a large input is not copied.
  if (!nulls.some((path) => holderOfNull(data, path))) return result;
  const copy: unknown = structuredClone(data);
  for (const path of nulls) removeNull(copy, path);
  return schema.safeParse(copy);
}

/** Whether any alternative of a schema has a value at `path`. */
function isKnown(schema: z.core.$ZodType, path: readonly PropertyKey[]): boolean {
  const [step, ...rest] = path;
  if (step === undefined) return true;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if ('innerType' in def) return isKnown(def.innerType, path);
  if (def.type === 'union') return def.options.some((option) => isKnown(option, path));
  if (def.type === 'array') return isKnown(def.element, rest);
  if (def.type === 'record') return isKnown(def.valueType, rest);
  const field = def.type === 'object' ? def.shape[String(step)] : undefined;
  return field !== undefined && isKnown(field, rest);
}

function removeNull(value: unknown, path: readonly PropertyKey[]): void {
  const holder = holderOfNull(value, path);
  if (holder) Reflect.deleteProperty(holder, path.at(-1) as PropertyKey);
}

/** The object with the field at `path`, if this field is `null`. */
function holderOfNull(value: unknown, path: readonly PropertyKey[]): object | undefined {
  let parent = value;
  for (const key of path.slice(0, -1)) parent = (parent as Record<PropertyKey, unknown> | null | undefined)?.[key];
  const key = path.at(-1);
  if (key === undefined || typeof parent !== 'object' || parent === null || Array.isArray(parent)) return undefined;
  const isNull = Object.hasOwn(parent, key) && (parent as Record<PropertyKey, unknown>)[key] === null;
  return isNull ? parent : undefined;
}

/** The mistakes that zod found, at most 64. An unknown key is reported at the key itself. */
export function fieldErrorsOf(error: z.core.$ZodError): FieldError[] {
  const errors: FieldError[] = [];
  for (const issue of error.issues.flatMap(narrowUnion)) {
    const isUnknownKeys = issue.code === 'unrecognized_keys';
    const paths = isUnknownKeys ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    const message = isUnknownKeys ? 'Unknown field.' : messageOf(issue);
    errors.push(
      ...paths
        .slice(0, fixedLimits.validation.fieldErrors - errors.length)
        .map((path) => ({ pointer: jsonPointer(path), message })),
    );
  }
  return errors;
}

/** A mistake in the words of JSON, because callers know neither zod nor JavaScript. Keeps the words of a schema itself. */
function messageOf(issue: z.core.$ZodIssue): string {
  const { message } = issue;
  if (issue.code === 'invalid_key') return `Invalid key: ${issue.issues[0]?.message}`;
  if (!message.startsWith('Invalid ') && !message.startsWith('Too ')) return message;
  if (issue.code === 'too_small' || issue.code === 'too_big') return limitOf(issue);
  if (issue.code === 'invalid_union' && 'options' in issue) return `Must be ${oneOf(issue.options as unknown[])}.`;
  const alternatives = alternativesOf(issue);
  if (alternatives === undefined) return message;
  const expected = [...new Set(alternatives.map(wordsOf))].join(' or ');
  const [received = ''] = alternatives.map((each) => each.message.split(', received ')[1] ?? '');
  if (received === 'undefined') return `Required: ${expected}.`;
  const isWrong = (each: WrongType): boolean =>
    each.code === 'invalid_type' && !(each.expected === 'int' && received === 'number');
  const isTold = received in typeWords && alternatives.every(isWrong);
  return `Must be ${expected}${isTold ? `, not ${typeWords[received]}` : ''}.`;
}

type WrongType = z.core.$ZodIssueInvalidType | z.core.$ZodIssueInvalidValue;

/** The mistakes by each alternative if a value has the type of none of them. Undefined for other mistakes. */
function alternativesOf(issue: z.core.$ZodIssue): WrongType[] | undefined {
  if (issue.code === 'invalid_type' || issue.code === 'invalid_value') return [issue];
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return undefined;
  const found = issue.errors.map(([first, ...more]) =>
    first?.path.length === 0 && more.length === 0 ? alternativesOf(first) : undefined,
  );
  return found.some((each) => each === undefined) ? undefined : found.flatMap((each) => each ?? []);
}

function wordsOf(issue: WrongType): string {
  return issue.code === 'invalid_value' ? oneOf(issue.values) : (typeWords[issue.expected] ?? issue.expected);
}

const typeWords: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  int: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

function oneOf(values: readonly unknown[]): string {
  return `${values.length > 1 ? 'one of ' : ''}${values.map((value) => JSON.stringify(value)).join(', ')}`;
}

function limitOf(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  const [bound, words] =
    issue.code === 'too_small'
      ? [issue.minimum, issue.inclusive ? 'at least' : 'more than']
      : [issue.maximum, issue.inclusive ? 'at most' : 'less than'];
  const unit = units[issue.origin];
  if (unit === undefined) return `Must be ${words} ${bound}.`;
  if (issue.code === 'too_small' && bound === 1) return 'Must not be empty.';
  return `Must have ${words} ${bound} ${unit}${bound === 1 ? '' : 's'}.`;
}

const units: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

/** The error for invalid input, with one entry for each mistake. */
export function refuseInput(detail: string, error: z.core.$ZodError): ContextdError {
  const isUnknown = error.issues.flatMap(narrowUnion).some(({ code }) => code === 'unrecognized_keys');
  // A newer client may ask for what only a newer daemon knows (AN-04).
  const version = isUnknown ? ` This daemon has protocolVersion ${protocol.protocolVersion}.` : '';
  return new ContextdError('invalid_request', detail + version, fieldErrorsOf(error));
}

/**
 * If a value matches no alternative, the mistakes by the alternative that it is most similar to. A value of another type
 * is similar to none.
 */
function narrowUnion(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || alternativesOf(issue) !== undefined) return [issue];
  const strangers = (issues: readonly z.core.$ZodIssue[]) =>
    issues.reduce((sum, each) => sum + (each.code === 'unrecognized_keys' ? each.keys.length : 0), 0);
  const depth = (issues: readonly z.core.$ZodIssue[]) => Math.max(...issues.map(({ path }) => path.length));
  const [closest] = issue.errors.toSorted(
    (a, b) => strangers(a) - strangers(b) || a.length - b.length || depth(b) - depth(a),
  );
  return closest?.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })) ?? [issue];
}

function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${pointerToken(String(part))}`).join('');
}
