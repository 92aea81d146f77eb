/** Finds front matter that silently has no effect in the tool of the file (FM-08; AP-08). */

import type { ValueOfTool } from '../context/formats/format.ts';
import { ruleFormats } from '../context/formats/formats.ts';
import { splitAtCommas } from '../texts/bare-values.ts';
import { closestName } from '../texts/closest-name.ts';
import { withoutQuotes } from '../texts/without-quotes.ts';
import type { Warning } from '../warnings.ts';
import type { WrittenKey } from './property-checks.ts';
import type { CheckedRuleFile } from './rule-files.ts';

/** Keys that describe a rule and do not decide when it applies. */
const describing: ReadonlySet<string> = new Set(['name', 'description', 'instructions']);

/** Keys with which a tool decides when a rule applies. */
const decidingKeys: ReadonlySet<string> = new Set(
  ruleFormats.flatMap(({ keys = {} }) => Object.keys(keys).filter((key) => !describing.has(key))),
);

const outcomes: Readonly<Record<string, string>> = {
  always: 'always applies the rule',
  manual: 'applies the rule only if it is mentioned',
  agent: 'uses only the description',
};

type Written = Pick<CheckedRuleFile, 'path' | 'format' | 'source' | 'keys'>;

/** `keys`: the keys that the file writes, even if its tool reads no front matter. */
export function ruleKeyWarnings(file: Written): Warning[] {
  return file.source.hasFrontMatter ? keyWarnings(file) : frontMatterWarnings(file);
}

function keyWarnings(file: Written): Warning[] {
  const { path, format, source, keys } = file;
  const { tool, keys: known } = format;
  if (known === undefined) return [];
  const at = (name: string) => ({ path, line: keys.get(name)?.line ?? 1, column: 1, pointer: `/${name}` });
  const found: Warning[] = [];
  const decidesItself = [...keys.keys()].some((name) => Object.hasOwn(known, name) && !describing.has(name));
  // A writer who uses keys of several tools does it on purpose.
  for (const { name } of decidesItself ? [] : strangers(file)) {
    const names = Object.keys(known).map((each) => `"${each}"`);
    const message = `${tool} does not support "${name}" and ${outcomes[source.trigger] ?? 'ignores it'}; it supports ${names.join(', ')}.`;
    found.push({ code: 'key_of_another_tool', message, ...at(name) });
  }
  const ofTool = Object.keys(known);
  for (const name of keys.keys()) {
    const meant = decidingKeys.has(name) ? undefined : closestName(name, ofTool);
    if (meant === undefined || keys.has(meant)) continue;
    const message = `${tool} ignores "${name}". Did you mean "${meant}"?`;
    found.push({ code: 'misspelled_property', message, ...at(name) });
  }
  for (const [name, values] of Object.entries(known)) {
    const problem = valueProblem(keys.get(name)?.text ?? '', values);
    if (problem) found.push({ code: 'value_not_understood', message: `${tool} ${problem}.`, ...at(name) });
  }
  return found;
}

/** If a tool treats front matter as text, it decides nothing. */
function frontMatterWarnings(file: Written): Warning[] {
  const { path, format, source } = file;
  const [deciding] = strangers({ ...file, format: { ...format, keys: {} } });
  if (deciding === undefined) return [];
  const { name, line } = deciding;
  const when = source.trigger === 'manual' ? 'is active only if it is mentioned' : 'is always active';
  const message = `Front matter has no effect in this kind of file (${format.tool}): the file ${when}, and these lines are part of its text.`;
  return [{ code: 'front_matter_is_text', message, path, line, column: 1, pointer: `/${name}` }];
}

const wordsForAlways: ReadonlySet<string> = new Set(['true', 'always', 'always_on', 'always_apply', '*', '**', '**/*']);

/** The keys with which another tool would decide, without keys that say nothing or only what happens anyway. */
function strangers({ format: { keys: known = {} }, source, keys }: Written): WrittenKey[] {
  const deciding = [...keys.values()].filter(({ name }) => decidingKeys.has(name) && !Object.hasOwn(known, name));
  const values = deciding.map(({ text }) =>
    text
      .replaceAll(/["'[\]]/gu, '')
      .trim()
      .toLowerCase(),
  );
  if (source.trigger === 'always' && values.some((value) => wordsForAlways.has(value))) return [];
  return deciding.filter((_, index) => values[index] !== '' && values[index] !== 'null');
}

function valueProblem(written: string, { list, text, commas, bare }: ValueOfTool): string | undefined {
  if (written === '') return undefined;
  const isList = /^(?:\[|-\s)/u.test(written);
  const unquoted = written.replaceAll(/"[^"\n]*"|'[^'\n]*'/gu, 'quoted');
  const items = isList ? unquoted.split(/[\n,[\]]/u).map((item) => item.replace(/^\s*-\s/u, '').trim()) : [unquoted];
  if (items.some((item) => /^[*{]/u.test(item)) && bare !== undefined) return bare;
  if (isList) return list;
  return text ?? (splitAtCommas(withoutQuotes(written)).length > 1 ? commas : undefined);
}
