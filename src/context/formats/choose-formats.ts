/** Which formats of other tools are read (FM-03). */
import { z } from 'zod';
import type { NameChoice } from '../../settings.ts';
import { formatNames } from './format-names.ts';
import { ruleFormats } from './formats.ts';

/** Like `FormatName`, for parameters, which have their own descriptions. */
export const formatName = z.enum(formatNames as [string, ...string[]], `must be one of ${formatNames.join(', ')}`);

export const FormatName = formatName.meta({
  id: 'FormatName',
  description: 'A format of another tool that is read in place.',
});

export const FormatChoice = z
  .union([z.enum(['all', 'none']), z.array(FormatName).max(64)])
  .meta({ id: 'FormatChoice', description: 'Formats of other tools: a list of names, `all` or `none`.' });
export type FormatChoice = z.infer<typeof FormatChoice>;

/** Places of these formats in the home directory, relative to it. */
export function homePathsOf(names: readonly string[]): string[] {
  const places = ruleFormats.flatMap((format) => (names.includes(format.name) ? format.places : []));
  return places.flatMap(({ in: kind, firstOf }) =>
    kind === 'home' ? firstOf.map((path) => path.replace(/\/$/u, '')) : [],
  );
}

/** Names in a setting that are not formats. */
export function unknownFormats(setting: NameChoice): string[] {
  return typeof setting === 'string' ? [] : setting.filter((name) => !formatNames.includes(name));
}

/** The names that every choice allows. */
export function chooseFormats(...choices: readonly (NameChoice | undefined)[]): readonly string[] {
  const narrower = choices.filter((choice) => choice !== undefined && choice !== 'all');
  if (narrower.length === 0) return formatNames;
  return formatNames.filter((name) => narrower.every((choice) => choice !== 'none' && choice.includes(name)));
}
