/**
 * Definitions of other tools with their variables filled in (FM-11, S-24). A repository writes them, so what it reads of
 * the user's environment is only known to what is started, and only after an approval that names each variable.
 */
import { baseName, joinPath } from '../access/paths.ts';
import type { ListedServer } from '../context/config.ts';
import type { Variable } from '../context/server-lists/variables.ts';
import type { Definition } from './definition.ts';

/** What a variable of the user's environment says. */
export type VariableOf = (name: string) => string | undefined;

export type FilledIn = Readonly<{
  definition: Definition;
  /** Variables of the environment that it reads, with their values. */
  reads: ReadonlyMap<string, string>;
  /** Variables without a value, as people know them. */
  missing: readonly string[];
}>;

type Filling = { definition: Definition; homeDirectory: string; reads: Map<string, string>; missing: Set<string> };

export function fillIn(definition: Definition, variableOf: VariableOf, homeDirectory: string): FilledIn {
  const { list, server, workspace } = definition;
  if (list === undefined) return { definition, reads: new Map(), missing: [] };
  const filling: Filling = { definition, homeDirectory, reads: new Map(), missing: new Set() };
  // The daemon's own settings are nobody's business; some name what opens it.
  const given: VariableOf = (name) => (/^CONTEXTD_/iu.test(name) ? undefined : variableOf(name));
  const fill = (text: string, variables = given): string =>
    list
      .variables(text)
      .map((piece) => (typeof piece === 'string' ? piece : fillPiece(piece, variables, filling)))
      .join('');
  const fillEach = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]));
  const done = (filled: ListedServer, cwd = definition.cwd): FilledIn => ({
    definition: { ...definition, server: filled, cwd },
    reads: filling.reads,
    missing: [...filling.missing],
  });
  if ('url' in server)
    return done({ ...server, url: fill(server.url), ...(server.headers && { headers: fillEach(server.headers) }) });
  const { command, args, env, cwd } = server;
  const filled: ListedServer = {
    ...server,
    command: fill(command),
    ...(args && { args: args.map((arg) => fill(arg)) }),
    ...(env && { env: fillEach(env) }),
  };
  // Directories are shown, so nothing of the environment is in them.
  return done(
    filled,
    cwd === undefined
      ? definition.cwd
      : joinPath(
          workspace,
          fill(cwd, () => undefined),
        ),
  );
}

function fillPiece(
  variable: Variable,
  variableOf: VariableOf,
  { definition: { workspace }, homeDirectory, reads, missing }: Filling,
): string {
  if ('place' in variable) {
    const values = {
      workspaceFolder: workspace,
      workspaceFolderBasename: baseName(workspace),
      userHome: homeDirectory,
    };
    return variable.place === 'separator' ? '/' : values[variable.place];
  }
  if ('unknown' in variable) {
    missing.add(variable.unknown);
    return '';
  }
  const { env, otherwise } = variable;
  const value = variableOf(env);
  // As in a shell, an empty one is not set where something else is given.
  if (value !== undefined && (value !== '' || otherwise === undefined)) {
    reads.set(env, value);
    return value;
  }
  if (otherwise === undefined) missing.add(env);
  return otherwise ?? '';
}

/** What a server says of itself when it fails, without the values that it was given: an address may come from one. */
export function withoutValues(text: string, reads: FilledIn['reads']): string {
  const longest = [...reads].sort(([, a], [, b]) => b.length - a.length);
  return longest.reduce(
    (left, [name, value]) => (value.length < 6 ? left : left.replaceAll(value, `\${${name}}`)),
    text,
  );
}

/** Whether a value only names a variable, perhaps after a word such as `Bearer`: then it is no secret. */
export function onlyNames(value: string, { list }: Definition): boolean {
  const pieces = list?.variables(value) ?? [value];
  const texts = pieces.filter((piece) => typeof piece === 'string');
  const hasDefault = pieces.some((piece) => typeof piece !== 'string' && 'otherwise' in piece);
  return (
    texts.length < pieces.length && !hasDefault && texts.every((text) => /^(?:Bearer |Basic |token )?$/u.test(text))
  );
}
