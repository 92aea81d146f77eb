/** Finds front matter that is read but does not say what its writer meant (CC-27, CC-28). */

import type { ContextFileSource } from '../context/front-matter.ts';
import { foreignKeys } from '../context/front-matter-keys.ts';
import { knownKeys, namesOfKey } from '../context/front-matter-properties.ts';
import { closestName } from '../texts/closest-name.ts';
import { ownValue } from '../texts/own-value.ts';
import type { Position } from '../texts/source-tree.ts';
import type { WarningCode } from '../warning-codes.ts';
import type { Warning } from '../warnings.ts';

/**
 * A top-level key of front matter. `text`: its value as written, with the lines below. `find`: the place of a part of
 * it.
 */
export type WrittenKey = Position & { name: string; text: string; find(part: string): Position };
export type WrittenKeys = ReadonlyMap<string, WrittenKey>;

const keyLine = /^(["']?)([\w$-]+)\1[ \t]*:(?=\s|$)/u;

/** The keys of the front matter of `text`, by name. The front matter ends before the line `bodyLine`. */
export function readWrittenKeys(text: string, bodyLine: number): WrittenKeys {
  const lines = text.split('\n', bodyLine - 2);
  const starts = lines.flatMap((line, index) => {
    const [head, , name] = index === 0 ? [] : (keyLine.exec(line) ?? []);
    return head === undefined || name === undefined ? [] : [{ name, index, from: head.length }];
  });
  return new Map(
    starts.map(({ name, index, from }, nth) => {
      const written = lines.slice(index, starts[nth + 1]?.index);
      const at = { line: index + 1, column: 1 };
      const find = (part: string): Position => {
        const below = written.findIndex((line, offset) => line.indexOf(part, offset === 0 ? from : 0) >= 0);
        if (below < 0) return at;
        const column = (written[below] as string).indexOf(part, below === 0 ? from : 0) + 1;
        return { line: index + below + 1, column };
      };
      return [name, { ...at, name, text: written.join('\n').slice(from).trim(), find }];
    }),
  );
}

export function propertyWarnings(source: ContextFileSource, keys: WrittenKeys, path: string): Warning[] {
  const warnings: Warning[] = [];
  const tell = (code: WarningCode, key: WrittenKey, message: string): void => {
    const { line, column, name } = key;
    warnings.push({ code, message, path, line, column, pointer: `/${name}` });
  };
  for (const [name, value] of Object.entries(source.properties)) {
    const key = keys.get(name);
    if (key === undefined) continue;
    const { like, write } = ownValue(foreignKeys, name) ?? {};
    const meant = like === undefined ? closestName(name, knownKeys) : undefined;
    if (like !== undefined && value !== false && !namesOfKey(like).some((ours) => keys.has(ours)))
      tell('foreign_property', key, `"${name}" has no effect here; write ${write}.`);
    if (meant !== undefined && !keys.has(meant))
      tell('misspelled_property', key, `This has no effect. Did you mean "${meant}"?`);
  }
  const [description, globs, appliesTo] = ['description', 'globs', 'appliesTo'].map((name) => keys.get(name));
  if (description && source.description === '')
    tell('empty_description', description, 'The description is empty. Say in a sentence what the file is about.');
  if (globs && appliesTo && globs.text !== '' && appliesTo.text !== '')
    tell('globs_overruled', globs, '"appliesTo" is used instead. Remove one of the two.');
  const trigger = keys.get('trigger');
  const written = [appliesTo, globs].find((key) => key !== undefined && key.text !== '');
  if (source.trigger === 'auto' && trigger && !written)
    tell(
      'auto_without_globs',
      trigger,
      'Without "globs" it applies to every file. Write "globs", or "trigger: always".',
    );
  // An invalid trigger, or one that another tool understands, is already reported.
  const isRefused = source.trigger === 'manual' && trigger !== undefined && !/^$|manual/iu.test(trigger.text);
  const isForAll = source.globs.every((glob) => glob === '*' || glob === '**' || glob === '**/*');
  const isTold = isRefused || source.properties.alwaysApply === true;
  if (source.trigger !== 'auto' && written && !isTold && !isForAll)
    tell(
      'globs_without_auto',
      written,
      'The globs have no effect without "trigger: auto". Add it, or remove the globs.',
    );
  return warnings;
}
