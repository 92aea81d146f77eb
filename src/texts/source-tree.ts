/** Parsed JSON, YAML and TOML: values that know where they are written (CC-09, S-58, S-61). */

import { fixedLimits } from '../settings.ts';
import type { WarningCode } from '../warning-codes.ts';
import type { Warning } from '../warnings.ts';

/**
 * A value and its offset in the text, in UTF-16 code units. `text`: a scalar of YAML read as text, that is, a number or
 * a date as it is written, and a quoted text without its quotes.
 */
export type SourceNode = {
  offset: number;
  value: string | number | boolean | null | SourceNode[] | SourceMap;
  text?: string;
};

/** The entries of an object by key. If a key is written twice, the last entry counts and is marked. */
export type SourceMap = Map<string, { offset: number; node: SourceNode; duplicate?: true }>;

/** The parsed text, without `root` if it is empty, or the first problem. Messages quote no content. */
export type SourceTree = { root?: SourceNode } | { problem: { message: string; offset: number } };

/** The entries of a text that is an object. Undefined for any other text. */
export function entriesOf(source: SourceTree): SourceMap | undefined {
  const value = 'problem' in source ? undefined : source.root?.value;
  return value instanceof Map ? value : undefined;
}

export const tooDeep = `it is nested deeper than ${fixedLimits.texts.levels} levels`;

/** Line and column, counted from 1. Columns are UTF-16 code units. */
export type Position = { line: number; column: number };

/** The position of an offset. For several offsets of one text, `createPositions` is quicker. */
export function positionAt(text: string, offset: number): Position {
  return createPositions(text)(offset);
}

/** The beginning of one in so many lines is remembered, so that offsets may come in any order. */
const linesApart = 1_000;

/** Finds the positions of many offsets. Passes each line once if the offsets are in ascending order. */
export function createPositions(text: string): (offset: number) => Position {
  /** Of the lines 1, 1,001, … that were passed. */
  const starts = [0];
  let [line, lineStart, lineEnd] = [1, 0, text.indexOf('\n')];
  return (offset) => {
    const nearest = Math.max(
      0,
      starts.findLastIndex((start) => start <= offset),
    );
    const start = starts[nearest] as number;
    if (offset < lineStart || start > lineStart)
      [line, lineStart, lineEnd] = [nearest * linesApart + 1, start, text.indexOf('\n', start)];
    while (lineEnd !== -1 && lineEnd < offset) {
      line += 1;
      lineStart = lineEnd + 1;
      lineEnd = text.indexOf('\n', lineStart);
      if (line === starts.length * linesApart + 1) starts.push(lineStart);
    }
    return { line, column: offset - lineStart + 1 };
  };
}

/** Whether the text is longer than `limit` bytes in UTF-8. */
export function exceedsBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && new TextEncoder().encode(text).length > limit;
}

/** A key as a part of a JSON pointer (RFC 6901). */
export function pointerToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The JSON pointer of a key or an index below `parent`. For a very long key, that of the parent. */
export function pointerTo(parent: string, key: string | number): string {
  const token = pointerToken(String(key));
  return token.length > 200 ? parent : `${parent}/${token}`;
}

/**
 * Names that objects inherit, and the merge key of YAML. Nobody means them as keys, and copying them is dangerous
 * (S-59, S-61).
 */
export function isReservedName(name: string): boolean {
  return Object.hasOwn(Object.prototype, name) || name === 'prototype' || name === '<<';
}

/** The node as a plain value that JSON can express. `refuse` is called for keys that are left out. */
export function plainValue(
  node: SourceNode,
  pointer: string,
  refuse: (pointer: string, offset: number) => void,
): unknown {
  const { value } = node;
  if (Array.isArray(value)) return value.map((item, index) => plainValue(item, pointerTo(pointer, index), refuse));
  if (value instanceof Map) {
    const entries: [string, unknown][] = [];
    for (const [key, entry] of value) {
      const below = pointerTo(pointer, key);
      if (isReservedName(key)) refuse(below, entry.offset);
      else entries.push([key, plainValue(entry.node, below, refuse)]);
    }
    return Object.fromEntries(entries);
  }
  if (typeof value !== 'number') return value;
  const written = node.text ?? String(value);
  const isExact = Number.isFinite(value) && (Number.isSafeInteger(value) || !/^[-+]?\d+$/u.test(written));
  return isExact ? value + 0 : written;
}

export type Report = (finding: { code: WarningCode; message: string; offset: number; pointer?: string }) => void;

/**
 * Collects the warnings of one file: the first 32, and the number of the others. `locate`: the position of an offset.
 */
export function createWarningList(path: string, locate: (offset: number) => Position) {
  const warnings: Warning[] = [];
  let leftOut = 0;
  const report: Report = ({ code, message, offset, pointer }) => {
    if (warnings.length >= fixedLimits.texts.warnings) leftOut += 1;
    else warnings.push({ code, message, path, ...locate(offset), pointer });
  };
  const finish = (): Warning[] => {
    if (leftOut === 0) return warnings;
    const message = `${leftOut} more warnings about this file are not listed.`;
    return [...warnings, { code: 'more_warnings', message, path }];
  };
  return { report, finish };
}
