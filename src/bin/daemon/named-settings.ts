/** The settings of a daemon. Flags may name only existing formats and ignore files. */
import { unknownFormats } from '../../context/formats/choose-formats.ts';
import { formatNames } from '../../context/formats/format-names.ts';
import { ignoreFileNames, unknownIgnoreFiles } from '../../ignore/ignore-kinds.ts';
import { type CommandFailure, wrongUsage } from '../exit-codes.ts';
import { processSurroundings } from '../state/state-directory.ts';
import { parseServeSettings, type ServeFlags, type ServeSettings } from './serve-settings.ts';

/** Also throws `CommandFailure` for an unknown format or ignore file. */
export function namedSettings(flags: ServeFlags): ServeSettings {
  const settings = parseServeSettings(flags, processSurroundings());
  const { formats, ignoreFiles } = settings.engine;
  const [unknown] = flags.formats === undefined ? [] : unknownFormats(formats);
  if (unknown !== undefined) throw unknownName('format', unknown, formatNames);
  const named = Array.isArray(ignoreFiles) && ignoreFiles.length === 0 ? [''] : unknownIgnoreFiles(ignoreFiles);
  const [stranger] = flags.ignoreFiles === undefined ? [] : named;
  if (stranger !== undefined) throw unknownName('ignore file', stranger, ignoreFileNames);
  return settings;
}

function unknownName(what: string, name: string, known: readonly string[]): CommandFailure {
  const message = `There is no ${what} "${name}". Say all, none, or some of ${known.join(', ')}.`;
  return wrongUsage(message);
}
