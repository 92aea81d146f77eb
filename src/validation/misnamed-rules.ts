/** Finds texts that look like rules of a tool, but have a name that the tool does not apply (FM-01; AP-08). */
import { baseName, directoriesBetween, joinPath, parentPath, relativePath } from '../access/paths.ts';
import { formatsBehind } from '../context/formats/format-at.ts';
import { ruleFormats } from '../context/formats/formats.ts';
import type { Tree } from './checked-tree.ts';
import { folderOf, isOfProject } from './rule-places.ts';

/** `owner`: the directory that the rule would belong to. */
export type MissedPlace = Readonly<{ owner: string; message: string }>;

/** `isThere`: whether there is something at a path, such as a file, a folder or a link. */
type Where = Tree & { isThere(path: string): boolean };

/** What is wrong with the name of a file that is at no place of a format. Undefined if nothing is wrong. */
export function missedPlace(path: string, tree: Where): MissedPlace | undefined {
  return (
    missedInRoot(path, tree) ??
    missedByALetter(path, tree) ??
    missedSkill(path, tree) ??
    missedInFolder(path, tree) ??
    missedBesideFolder(path, tree)
  );
}

const textNames = new Map(
  ruleFormats.flatMap(({ write }) =>
    write && 'file' in write ? [[write.file.toLowerCase(), write.file] as const] : [],
  ),
);

/** Only in the root. In other directories, such words are names of documents. */
function missedInRoot(path: string, { mountedDirectory, isThere }: Where): MissedPlace | undefined {
  const meant = parentPath(path) === mountedDirectory ? textNames.get(baseName(path).toLowerCase()) : undefined;
  if (meant === undefined || isThere(joinPath(mountedDirectory, meant))) return undefined;
  const message = `Tools that read "${meant}" find this file only where letter case does not count.`;
  return { owner: mountedDirectory, message };
}

/** Hidden files with the name of their tool, such as `.cursorrules`, by what slips of their names have in common. */
const ofOneTool = new Map(
  ruleFormats.flatMap(({ tool, places }) =>
    places.flatMap(({ in: scope, firstOf }) =>
      firstOf
        .filter(
          (file) => scope === 'root' && /^\./u.test(file) && !/[/*]$/u.test(file) && namesTool(baseName(file), tool),
        )
        .map((file) => [slipsOf(file), { tool, file }] as const),
    ),
  ),
);

function namesTool(name: string, tool: string): boolean {
  return tool.split(' ').some((word) => name.toLowerCase().includes(word.toLowerCase()));
}

/** Without directory, ending and plural. */
function slipsOf(path: string): string {
  return baseName(path.toLowerCase())
    .replace(/\.(?:md|txt)$/u, '')
    .replace(/s$/u, '');
}

/** In the root, or in the directory where the tool looks. */
function missedByALetter(path: string, { mountedDirectory, isThere }: Where): MissedPlace | undefined {
  const { tool, file } = ofOneTool.get(slipsOf(path)) ?? {};
  if (file === undefined) return undefined;
  const meant = joinPath(mountedDirectory, file);
  if (![mountedDirectory, parentPath(meant)].includes(parentPath(path)) || isThere(meant)) return undefined;
  return { owner: mountedDirectory, message: `${tool} reads "${file}" here, not this file.` };
}

const isAboutFolder = (path: string): boolean => /^(?:readme|licen[cs]e)\b/iu.test(baseName(path));

/** A text beside the folders of skills (FM-12). Names in capitals, such as `INDEX.md`, tell of the folder. */
function missedSkill(path: string, tree: Tree): MissedPlace | undefined {
  const name = baseName(path).slice(0, -'.md'.length);
  const isInCapitals = name !== name.toLowerCase() && name === name.toUpperCase();
  if (!/\.md$/iu.test(path) || isInCapitals || isAboutFolder(path)) return undefined;
  for (const at of formatsBehind(path, tree)) {
    const { place, format, owner } = at;
    if (place.withFolder !== true || folderOf(path, at) !== parentPath(path) || !isOfProject(at, tree)) continue;
    const tool = format.name === 'agents-skills' ? 'Most tools read' : `${format.tool} reads`;
    return { owner, message: `${tool} a skill from a folder of its own, here "${name}/SKILL.md", not this file.` };
  }
  return undefined;
}

/** Of the names of rules in folders. */
const endings = ['.md', '.mdc', '.instructions.md'];

/**
 * A file in a folder of rules whose tool uses other names. A `README.md` is not reported, because it describes the
 * folder, and neither is a license.
 */
function missedInFolder(path: string, tree: Tree): MissedPlace | undefined {
  if (!/\.(?:mdc?|markdown|txt)$/iu.test(path) || isAboutFolder(path)) return undefined;
  for (const at of formatsBehind(path, tree)) {
    const { place, format, owner } = at;
    const folder = folderOf(path, at);
    if (folder === undefined || !isOfProject(at, tree)) continue;
    const stem = path.slice(0, path.lastIndexOf('.'));
    const meant = endings.map((ending) => stem + ending).find((each) => place.holds?.(relativePath(folder, each)));
    if (meant === undefined) continue;
    const folders = directoriesBetween(folder, parentPath(path)).slice(1);
    if (folders.some((each) => place.enters?.(relativePath(folder, each)) === false)) continue;
    const message = `${format.tool} applies rules with names such as "${baseName(meant)}" by itself, not this file.`;
    return { owner, message };
  }
  return undefined;
}

/** A file beside a folder of rules, with an ending that only these rules have: `.cursor/style.mdc`. */
function missedBesideFolder(path: string, tree: Tree): MissedPlace | undefined {
  if (isAboutFolder(path)) return undefined;
  const name = baseName(path);
  const asDocument = `${name.split('.', 1)[0]}.md`;
  for (const at of formatsBehind(parentPath(path), tree)) {
    const { place, format, owner } = at;
    if (place.holds?.(name) !== true || place.holds(asDocument) || !isOfProject(at, tree)) continue;
    const folder = place.firstOf
      .map((each) => joinPath(owner, each.replace(/\/$/u, '')))
      .find((each) => parentPath(each) === parentPath(path));
    if (folder === undefined) continue;
    return { owner, message: `${format.tool} reads such rules from the folder "${baseName(folder)}", not this file.` };
  }
  return undefined;
}
