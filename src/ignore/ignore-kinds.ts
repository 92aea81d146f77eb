/** All supported ignore files of other tools. A new one is an entry here. */
import { baseName } from '../access/paths.ts';
import type { NameChoice } from '../settings.ts';
import { readDeniedReads } from './claude-settings.ts';
import { type IgnoreKind, readGitignoreSyntax, readWithoutNegation } from './ignore-kind.ts';
import { readPrivateFiles } from './zed-settings.ts';

/** The tool reads only one file, or each file alone. So no file includes again what another one leaves out. */
const alone = (name: string, ...ownRules: readonly string[]): IgnoreKind => ({
  name,
  path: `.${name}`,
  read: readGitignoreSyntax,
  ownRules,
});
/** As in git. This is the default if the tool does not document anything else. */
const nested = (...named: Parameters<typeof alone>): IgnoreKind => ({ ...alone(...named), isNested: true });

const ofWindsurf = ['.windsurf/rules/', '.devin/rules/', '.windsurfrules'];

const include = '!include ';

export const ignoreKinds: readonly IgnoreKind[] = [
  nested('contextignore'),
  nested('cursorignore', '.cursor/rules/', '.cursorrules'),
  nested('aiignore'),
  nested('codeiumignore', ...ofWindsurf),
  nested('windsurfignore', ...ofWindsurf),
  nested('devinignore', ...ofWindsurf),
  alone('geminiignore', 'GEMINI.md'),
  {
    ...alone('clineignore', '.clinerules', '.clinerules/', '.cline/rules/'),
    includes: (line) => (line.startsWith(include) ? line.slice(include.length).trim() : undefined),
  },
  alone('rooignore', '.roo/', '.roorules'),
  alone('kilocodeignore', '.kilo/', '.kilocode/', '.kilocoderules'),
  alone('kiroignore', '.kiro/steering/'),
  alone('augmentignore', '.augment/rules/', '.augment-guidelines'),
  alone('continueignore', '.continue/rules/', '.continuerules'),
  alone('qwenignore', 'QWEN.md', '.qwen/rules/'),
  alone('aiderignore'),
  { name: 'aiexclude', path: '.aiexclude', read: readWithoutNegation },
  { name: 'noai', path: '.noai' },
  { ...nested('cursorindexingignore'), isForSearch: true },
  { name: 'claude-settings', path: '.claude/settings.json', read: readDeniedReads },
  { name: 'claude-settings', path: '.claude/settings.local.json', read: readDeniedReads },
  { name: 'zed-settings', path: '.zed/settings.json', read: readPrivateFiles },
];

export const ignoreFileNames: readonly string[] = [...new Set(ignoreKinds.map(({ name }) => name))];

/** The kinds that a setting names. An empty setting, or one with an unknown name, means all. */
export function chooseIgnoreKinds(setting: NameChoice): readonly IgnoreKind[] {
  if (setting === 'none') return [];
  const isAll = setting === 'all' || setting.length === 0 || unknownIgnoreFiles(setting).length > 0;
  return isAll ? ignoreKinds : ignoreKinds.filter(({ name }) => setting.includes(name));
}

/** The names in a setting that are unknown. */
export function unknownIgnoreFiles(setting: NameChoice): string[] {
  return typeof setting === 'string' ? [] : setting.filter((name) => !ignoreFileNames.includes(name));
}

/** The names of folders that can contain an ignore file. */
export const ignoreFileFolders: ReadonlySet<string> = new Set(
  ignoreKinds.flatMap(({ path }) => (path.includes('/') ? [path.slice(0, path.indexOf('/'))] : [])),
);

const byBaseName = Map.groupBy(ignoreKinds, ({ path }) => baseName(path));

/** The directory that an ignore file applies to, whether or not settings enable it. Undefined for other files. */
export function directoryOfIgnoreFile(path: string): string | undefined {
  const kind = byBaseName.get(baseName(path))?.find((each) => path.endsWith(`/${each.path}`));
  return kind && (path.slice(0, -kind.path.length - 1) || '/');
}
