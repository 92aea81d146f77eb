/** Reads and checks the files of a tree one by one (AP-08; CC-04, CC-05, CC-31). Every read goes through the gate. */

import type { ContentPolicy } from '../access/content-policy.ts';
import { directoriesBetween, parentPath } from '../access/paths.ts';
import { isPolicyFile } from '../access/policy-file-names.ts';
import { refusalWords, shownRefusal } from '../access/refusal-words.ts';
import type { World } from '../access/world.ts';
import type { ContextDirectory } from '../context/directories.ts';
import { loadDirectory } from '../context/load-directory.ts';
import { mergeConfigs } from '../context/merge.ts';
import { isBlockedBy } from '../context/read-contents.ts';
import { turnToParse } from '../pace/turns.ts';
import { readPolicyAt } from '../policy/list-policies.ts';
import { secondPolicyWarning, unreadWarning } from '../policy/load-policy.ts';
import { shortenPaths } from '../texts/short-paths.ts';
import type { Warning } from '../warnings.ts';
import { checkConfig } from './check-config.ts';
import { checkContextFile } from './check-context-file.ts';
import { checkPolicy } from './check-policy.ts';
import type { TreeConfig, TreeDirectory, TreeFile, TreePolicy } from './checked-tree.ts';
import type { CausedWarning } from './finish.ts';
import type { Survey } from './survey.ts';

/** The state of reading a tree. Findings are added to `warnings`. */
export type Reading = { world: World; warnings: CausedWarning[] };

/** The context directories with their configurations, from the top down. */
export async function readDirectories(
  directories: readonly ContextDirectory[],
  { world, warnings }: Reading,
): Promise<TreeDirectory[]> {
  const read = new Map<string, TreeDirectory>();
  for (const [index, directory] of directories.entries()) {
    if (world.isLate()) {
      world.leftOut.walkMs += directories.length - index;
      break;
    }
    const loaded = await loadDirectory(directory, world);
    const configs: TreeConfig[] = [];
    for (const config of loaded.configs) {
      await turnToParse(config.text);
      configs.push({ config, checked: checkConfig(config.text, config.path) });
    }
    const checkedPaths = new Set(configs.map(({ config }) => config.path));
    for (const warning of loaded.warnings)
      if (!checkedPaths.has(warning.path ?? ''))
        warnings.push(aboutFile.includes(warning.code) ? { ...warning, line: 1, column: 1 } : warning);
    for (const { checked } of configs) warnings.push(...checked.warnings);
    const above = directoriesBetween(world.mountedDirectory, directory.owner).flatMap(
      (owner) => read.get(owner)?.configs ?? [],
    );
    const merged = mergeConfigs([...above, ...configs].map(({ config }) => config));
    read.set(directory.owner, { loaded, configs, merged, included: new Map() });
  }
  return [...read.values()];
}

/** Warnings about a whole configuration, which are shown at its beginning. */
const aboutFile: readonly Warning['code'][] = ['config_not_read', 'config_too_large'];

/** The context file at `path`, or undefined and a finding. */
export async function readTreeFile(
  path: string,
  owner: string,
  { world, warnings }: Reading,
): Promise<TreeFile | undefined> {
  const { fileBytes, frontMatterBytes } = world.limits;
  const read = await world.gate.read(path, { ...world.reach, maxBytes: fileBytes });
  const at = { path, line: 1, column: 1 };
  const code = read.ok ? read.snapshot.problem : read.code;
  if (!read.ok || code !== undefined) {
    // A file that disappeared meanwhile is not a finding.
    if (code !== undefined && code !== 'not_found') {
      const decision = isBlockedBy(code) ? await world.reach.policies.decide(path) : undefined;
      const { reason, decidedBy } = decision ?? {};
      const isWhole = code === 'blocked_by_ignore_file' && decidedBy?.pattern === undefined;
      const causedBy = isWhole || reason?.code === 'policy_invalid' ? decidedBy?.path : undefined;
      warnings.push({
        code: shownRefusal(code),
        message: `The file is not delivered: ${describeRefusal(code, read, world.mountedDirectory)}.`,
        ...at,
        causedBy,
      });
    }
    return undefined;
  }
  const { text = '', truncated, bytes } = read.snapshot;
  const checked = checkContextFile(text, { path, frontMatterBytes });
  warnings.push(...checked.warnings);
  if (truncated) warnings.push(tooLong(path, bytes, fileBytes));
  return { path, owner, checked };
}

export function tooLong(path: string, bytes: number, fileBytes: number): Warning {
  const message = `The file has ${bytes} bytes; only the first ${fileBytes} are delivered.`;
  return { code: 'file_truncated', message, path, line: 1, column: 1 };
}

/** Why a file is not delivered. Paths of policies are relative to the mounted directory. */
function describeRefusal(code: string, read: { detail?: string } | object, mountedDirectory: string): string {
  const detail = 'detail' in read ? read.detail : undefined;
  if (!isBlockedBy(code)) return refusalWords[code] ?? code;
  const subject = code === 'blocked_by_policy' ? 'the AI context policy blocks it' : 'an ignore file leaves it out';
  return `${subject} (${shortenPaths(detail ?? '', mountedDirectory)})`;
}

/** Problems of the ignore files that decided about the files that were read. */
export function ignoreFileWarnings(policies: ContentPolicy): Warning[] {
  return policies.warnings().filter(({ code }) => code.startsWith('ignore_'));
}

/** The policies of a tree. Problems of two together are reported at the second. */
export async function readPolicies({ files, refused }: Survey, reading: Reading): Promise<TreePolicy[]> {
  const policies: TreePolicy[] = [];
  const directories = new Set<string>();
  const paths = [...files, ...refused.map(({ path }) => path)].filter(isPolicyFile).sort();
  for (const [index, path] of paths.entries()) {
    if (reading.world.isLate()) {
      reading.world.leftOut.walkMs += paths.length - index;
      break;
    }
    const directory = parentPath(path);
    const checked = await readPolicy(path, reading);
    if (checked) policies.push({ directory, checked });
    if (directories.has(directory)) reading.warnings.push(secondPolicyWarning(path));
    directories.add(directory);
  }
  return policies;
}

/** AP-04: a policy that cannot be read blocks. */
async function readPolicy(path: string, { world, warnings }: Reading) {
  const { configBytes } = world.limits;
  const read = await readPolicyAt(path, world);
  const unread = unreadWarning(path, read, configBytes);
  if (unread !== undefined) warnings.push({ ...unread, line: 1, column: 1 });
  if (unread !== undefined || !read.ok) return undefined;
  await turnToParse(read.snapshot.text);
  const checked = checkPolicy(read.snapshot.text ?? '', path);
  warnings.push(...checked.warnings);
  return checked;
}
