/**
 * Checks what settings of other tools name, and their lists of servers, as a request finds them (FM-11, FM-13; AP-08).
 */
import type { World } from '../access/world.ts';
import { formatNames } from '../context/formats/format-names.ts';
import { mergeConfigs } from '../context/merge.ts';
import { ruleFiles } from '../context/sources/rule-files.ts';
import type { WarningCode } from '../warning-codes.ts';
import type { Warning } from '../warnings.ts';
import type { TreeDirectory } from './checked-tree.ts';

/** Files and folders at the places of formats have their own checks. */
const told: readonly WarningCode[] = [
  ...(['named_file_missing', 'name_not_used', 'invalid_settings'] as const),
  ...(['invalid_config', 'invalid_config_value', 'duplicate_config_key', 'config_too_large'] as const),
];

/** `isNamed`: whether settings name an existing file. */
export async function checkRuleSettings(
  directories: readonly TreeDirectory[],
  clientContextPath: string,
  world: World,
): Promise<{ warnings: Warning[]; isNamed: boolean }> {
  const { mountedDirectory } = world;
  const own = directories.filter(({ loaded }) => loaded.directory.owner === mountedDirectory);
  const where = {
    mountedDirectory,
    workingDirectory: mountedDirectory,
    clientContextPath,
    globalContextPath: '',
    scopes: new Set(['static'] as const),
    filesInPlay: [],
    mentions: [],
    formats: formatNames,
    narrowed: true,
  };
  const merged = mergeConfigs(own.flatMap(({ configs }) => configs.map(({ config }) => config)));
  const found = await ruleFiles.find?.({ where, merged, walks: new Map(), listings: new Map() }, world);
  const warnings = (found?.warnings ?? []).filter(({ code }) => told.includes(code as WarningCode));
  return {
    warnings: warnings.map((each) => ({ line: 1, column: 1, ...each })),
    isNamed: found?.candidates.some(({ includedBy }) => includedBy !== undefined) ?? false,
  };
}
