/**
 * Fills in the variables in definitions of other tools (FM-11, S-24). Repositories write these definitions. So values
 * from the user's environment reach only the started server, and only after an approval that names each variable.
 */
import { baseName, joinPath } from '../access/paths.ts';
import type { ListedServer } from '../context/server-entry.ts';
import type { Variable } from '../context/server-lists/variables.ts';
import { expandHome } from '../settings.ts';
import type { ServerDefinition } from './definition.ts';

/** Returns the value of a variable of the user's environment. */
export type VariableOf = (name: string) => string | undefined;

export type FilledIn = Readonly<{
  definition: ServerDefinition;
  /** Environment variables that the definition reads, with their values. */
  reads: ReadonlyMap<string, string>;
  /** Variables without a value, by their names for people. */
  missing: readonly string[];
  /** Whether the user's environment could give one of them a value. */
  canBeSet: boolean;
}>;

type Filling = {
  definition: ServerDefinition;
  homeDirectory: string;
  reads: Map<string, string>;
  missing: Set<string>;
  canBeSet: boolean;
};

/** The daemon's own variables are not available; some name secrets that give access to it. */
const isOwn = (name: string): boolean => /^CONTEXTD_/iu.test(name);
const noVariables: VariableOf = () => undefined;

export function fillIn(definition: ServerDefinition, variableOf: VariableOf, homeDirectory: string): FilledIn {
  const { list, server, workspace } = definition;
  if (list === undefined) return { definition, reads: new Map(), missing: [], canBeSet: false };
  const filling: Filling = { definition, homeDirectory, reads: new Map(), missing: new Set(), canBeSet: false };
  const given: VariableOf = (name) => (isOwn(name) ? undefined : variableOf(name));
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
    canBeSet: filling.canBeSet,
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
  // Directories are shown, so they cannot contain values of the environment.
  const directory = cwd === undefined ? definition.cwd : expandHome(fill(cwd, noVariables), homeDirectory);
  return done(filled, joinPath(workspace, directory));
}

function fillPiece(variable: Variable, variableOf: VariableOf, filling: Filling): string {
  const { definition, homeDirectory, reads, missing } = filling;
  const { workspace } = definition;
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
  // As in a shell, an empty value does not count if there is a default.
  if (value !== undefined && (value !== '' || otherwise === undefined)) {
    reads.set(env, value);
    return value;
  }
  if (otherwise !== undefined) return otherwise;
  missing.add(env);
  if (variableOf !== noVariables && !isOwn(env)) filling.canBeSet = true;
  return '';
}

/**
 * Replaces the filled-in values in an error message of a server by the names of their variables. An address, for
 * example, may come from a variable.
 */
export function withoutValues(text: string, reads: FilledIn['reads']): string {
  const longest = [...reads].sort(([, a], [, b]) => b.length - a.length);
  return longest.reduce(
    (left, [name, value]) => (value.length < 6 ? left : left.replaceAll(value, `\${${name}}`)),
    text,
  );
}

/** Whether a value only names a variable, perhaps after a word such as `Bearer`. Then it is not a secret. */
export function onlyNames(value: string, { list }: ServerDefinition): boolean {
  const pieces = list?.variables(value) ?? [value];
  const texts = pieces.filter((piece) => typeof piece === 'string');
  const hasDefault = pieces.some((piece) => typeof piece !== 'string' && 'otherwise' in piece);
  return (
    texts.length < pieces.length && !hasDefault && texts.every((text) => /^(?:Bearer |Basic |token )?$/u.test(text))
  );
}
