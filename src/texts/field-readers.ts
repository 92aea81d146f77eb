/**
 * Reads the fields of a configuration: what is wrong is reported where it was written and dropped, the rest is kept
 * (CC-09).
 */
import type { z } from 'zod';
import { isReservedName, pointerTo, type Report, type SourceMap, type SourceNode } from './source-tree.ts';

/** Reads a value, or reports it and returns `undefined`. Reports never quote the value, which may be secret. */
export type Reader<T> = (node: SourceNode, pointer: string, report: Report) => T | undefined;

const ignored = 'It is ignored.';

/** A text, a number, a flag. `consequence` is the sentence that says what becomes of a bad one. */
export function leaf<T>(schema: z.ZodType<T>, consequence = ignored): Reader<T> {
  return (node, pointer, report) => {
    const result = schema.safeParse(node.value instanceof Map ? {} : node.value);
    if (result.success) return result.data;
    const what = (result.error.issues[0]?.message ?? 'unexpected').replace(/^Invalid (?:input|option): /u, '');
    const message = `Invalid value: ${what}. ${consequence}`;
    report({ code: 'invalid_config_value', message, offset: node.offset, pointer });
    return undefined;
  };
}

/**
 * A list. Bad elements and those past `max` are dropped, unless `whole`, a consequence, says that they spoil all of it.
 */
export function list<T>(element: Reader<T>, { max, whole }: { max: number; whole?: string }): Reader<T[]> {
  return (node, pointer, report) => {
    if (!Array.isArray(node.value)) return wrongType('a list, such as ["a", "b"]', whole)(node, pointer, report);
    const { length } = node.value;
    if (length > max) {
      const message = `There are ${length} elements; at most ${max} are allowed. ${whole ?? 'The rest is ignored.'}`;
      report({ code: 'invalid_config_value', message, offset: node.offset, pointer });
      if (whole !== undefined) return undefined;
    }
    const elements = node.value.slice(0, max);
    const read = elements.map((item, index) => element(item, pointerTo(pointer, index), report));
    const good = read.filter((item) => item !== undefined);
    return whole !== undefined && good.length < read.length ? undefined : good;
  };
}

/** An object whose names are the user's choice. Bad entries and those past `max` are dropped. */
export function dictionary<T>(entry: Reader<T>, { max, name }: { max: number; name: RegExp }): Reader<Map<string, T>> {
  return (node, pointer, report) => {
    if (!(node.value instanceof Map)) return wrongType('an object')(node, pointer, report);
    const values = new Map<string, T>();
    for (const [key, { node: child, offset, duplicate }] of [...node.value].slice(0, max)) {
      const below = pointerTo(pointer, key);
      if (duplicate) reportDuplicate({ offset, pointer: below }, report);
      if (isReservedName(key) || !name.test(key)) {
        const message = `This cannot be used as a name. ${ignored}`;
        report({ code: 'invalid_config_value', message, offset, pointer: below });
        continue;
      }
      const value = entry(child, below, report);
      if (value !== undefined) values.set(key, value);
    }
    if (node.value.size > max) {
      const message = `There are ${node.value.size} entries; only the first ${max} are used.`;
      report({ code: 'invalid_config_value', message, offset: node.offset, pointer });
    }
    return values;
  };
}

/** An object with known keys, each read by its reader; other keys are reported. */
export function readFields<T>(
  entries: SourceMap,
  readers: { [K in keyof T]-?: Reader<NonNullable<T[K]>> },
  { pointer, report }: { pointer: string; report: Report },
): Partial<T> {
  const values: [string, unknown][] = [];
  for (const [key, { node, offset, duplicate }] of entries) {
    const below = pointerTo(pointer, key);
    if (!Object.hasOwn(readers, key)) {
      const message = `Unknown key. ${ignored} The known keys are: ${Object.keys(readers).join(', ')}.`;
      report({ code: 'unknown_config_key', message, offset, pointer: below });
      continue;
    }
    if (duplicate) reportDuplicate({ offset, pointer: below }, report);
    const value = readers[key as keyof T](node, below, report);
    if (value !== undefined) values.push([key, value]);
  }
  return Object.fromEntries(values) as Partial<T>;
}

function reportDuplicate(at: { offset: number; pointer: string }, report: Report): void {
  report({ ...at, code: 'duplicate_config_key', message: 'This key is written more than once. The last one is used.' });
}

/** A reader of what has the wrong type. */
export function wrongType(expected: string, consequence = ignored): Reader<never> {
  return (node, pointer, report) => {
    const message = `Invalid value: expected ${expected}. ${consequence}`;
    report({ code: 'invalid_config_value', message, offset: node.offset, pointer });
    return undefined;
  };
}
