/**
 * Shell: files that a script sources, and scripts that it runs. A shell looks for them in its working directory, which
 * is not known: it can be the directory of the script, the top of the project, or one between (RT-02).
 */
import { joinPath } from '../../../access/paths.ts';
import { createPause, type Steps } from '../../../pace/turns.ts';
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportResolver, ImportTarget, Lookup, ResolvedImport } from '../import.ts';
import { directoriesAbove, firstFile } from '../places.ts';
import { eachLineBeginning } from '../plain-reading.ts';

const limits = fixedLimits.projects.shell;

export const resolveShellImports: ImportResolver = async (imports, file, lookup) => {
  const directories = directoriesAbove(file.path, lookup);
  const answers: ResolvedImport[] = [];
  const seen = new Set<string>();
  const pause = createPause();
  // What a script runs says less than what it sources.
  for (const statement of imports.toSorted((a, b) => Number(a.form === 'run') - Number(b.form === 'run'))) {
    await pause();
    const isKnown = seen.has(statement.specifier);
    answers.push(isKnown ? { statement, targets: [] } : await resolve(statement, directories, lookup));
    seen.add(statement.specifier);
  }
  return answers;
};

async function resolve(
  statement: ImportStatement,
  directories: readonly string[],
  lookup: Lookup,
): Promise<ResolvedImport> {
  const { specifier, form, names } = statement;
  const isRun = form === 'run';
  if (/^(?:\/|~|\$HOME\/)/u.test(specifier)) return { statement, none: 'outside_workspace' };
  const path = relativeOf(specifier);
  if (path === undefined) return isRun ? { statement, targets: [] } : { statement, none: 'unsupported' };
  if (path.includes('*')) return { statement, targets: await matching(path, statement, { directories, lookup }) };
  const places = directories.map((directory) => joinPath(directory, `./${path}`));
  const found = await firstFile(
    places.flatMap((place) => (isRun ? [place] : [place, `${place}.bash`])),
    lookup,
  );
  if (found !== undefined) return { statement, targets: [{ path: found, names, guessed: true }] };
  if (isRun) return { statement, targets: [] };
  // A name alone is also looked up in `PATH`.
  const isElsewhere = specifier.startsWith('$') || !path.includes('/');
  return { statement, none: isElsewhere ? 'outside_workspace' : 'not_found' };
}

/** The path after a variable whose value is not known. Undefined if more is not known. */
function relativeOf(specifier: string): string | undefined {
  const isPrefixed = specifier.startsWith('$');
  const slash = specifier.indexOf('/');
  const path = isPrefixed ? specifier.slice(slash + 1) : specifier;
  return (isPrefixed && slash < 0) || path.includes('$') ? undefined : path;
}

/** `lib/*.sh`: files of the first directory that has such names, of which something is used. */
async function matching(
  pattern: string,
  { names }: ImportStatement,
  { directories, lookup }: { directories: readonly string[]; lookup: Lookup },
): Promise<ImportTarget[]> {
  const slash = pattern.lastIndexOf('/');
  const [before = '', after = '', ...more] = pattern.slice(slash + 1).split('*');
  if (more.length > 0 || pattern.slice(0, slash + 1).includes('*')) return [];
  for (const above of directories) {
    const directory = joinPath(above, `./${pattern.slice(0, slash + 1)}`);
    const all = await lookup.namesIn(directory);
    const files = all.filter((name) => name.startsWith(before) && name.endsWith(after)).slice(0, limits.files);
    if (files.length === 0) continue;
    const targets: ImportTarget[] = [];
    const pause = createPause();
    for (const path of files.map((name) => joinPath(directory, name))) {
      await pause();
      const defined = await lookup.deriveSource(path, readDefined);
      const used = names.filter((name) => defined?.has(name));
      if (used.length > 0) targets.push({ path, names: used, guessed: true });
    }
    return targets;
  }
  return [];
}

/** The functions and variables that lines of a script begin with. This only chooses files; the parser reads them. */
function* readDefined(text: string): Steps<ReadonlySet<string>> {
  const found = new Set<string>();
  yield* eachLineBeginning(text, longestLine, (line) => {
    const name = forms.map((form) => form.exec(line)?.[1]).find((each) => each !== undefined);
    if (name !== undefined) found.add(name);
    return found.size < limits.names;
  });
  return found;
}

/** Of a longer line, only the beginning is read. */
const longestLine = 300;
const forms = [
  /^(?:function )?([^\s()=$"'`#]+) ?\(\)/u,
  /^function ([^\s(){]+)/u,
  /^(?:(?:export|readonly|declare -\w) )?(\w+)=/u,
];
