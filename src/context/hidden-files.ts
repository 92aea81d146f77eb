/** If nothing applies, says which files are here but were not looked for (FM-03). */
import type { EngineSettings } from '../settings.ts';
import type { Warning } from '../warnings.ts';
import { ruleFormats } from './formats/formats.ts';
import type { Composition } from './resolve.ts';

const hinted = new WeakMap<Composition, { message: string; composition: Composition }>();

/** `all`: the files of all formats. Returns the same object for the same composition and the same hint. */
export function withHidden(composition: Composition, all: Composition, settings: EngineSettings): Composition {
  const { result } = composition;
  const told = new Set(result.excluded.map(({ path }) => path));
  const found = [...all.result.files, ...all.result.excluded];
  const hidden = found.filter(({ path, format }) => format !== undefined && !told.has(path));
  const message = wordsOfHidden(hidden, settings);
  if (message === undefined) return composition;
  const before = hinted.get(composition);
  if (before?.message === message) return before.composition;
  const warnings: Warning[] = [...result.warnings, { code: 'formats_not_read', message }];
  const shown = Object.freeze({ ...composition, result: Object.freeze({ ...result, warnings }) });
  hinted.set(composition, { message, composition: shown });
  return shown;
}

/** The existing files that were not read. Undefined if there are none. */
function wordsOfHidden(
  hidden: readonly { format?: string | undefined }[],
  { formats }: EngineSettings,
): string | undefined {
  const count = hidden.length;
  if (count === 0) return undefined;
  const names = new Set(hidden.map(({ format }) => format));
  const toolsOf = new Set(ruleFormats.flatMap(({ name, tool }) => (names.has(name) ? [tool] : [])));
  const what = `${count} rule ${count === 1 ? 'file' : 'files'} of ${toolsOf.size} ${toolsOf.size === 1 ? 'tool' : 'tools'}`;
  const isOff = formats === 'none';
  return `There ${count === 1 ? 'is' : 'are'} ${what}; ${isOff ? 'formats are off (`--formats none`)' : 'their formats are not read here'}. "contextd formats" lists them.`;
}
