/** Variables in the server lists of other tools, each in the syntax of its tool (FM-11). */
import { ownValue } from '../../texts/own-value.ts';

/** The meaning of a variable. `unknown`: only its own tool has the value; as written. */
export type Variable =
  | Readonly<{ env: string; otherwise?: string }>
  | Readonly<{ place: Place }>
  | Readonly<{ unknown: string }>;
type Place = 'workspaceFolder' | 'workspaceFolderBasename' | 'userHome' | 'separator';

/** A text in pieces: literal text, and variables. */
export type Spelling = (text: string) => readonly (string | Variable)[];

/** A syntax as a regular expression with the flag `g`. If `mean` returns nothing, the text is literal. */
export function spelledAs(expression: RegExp, mean: (name: string) => Variable | undefined): Spelling {
  return (text) => {
    const pieces: (string | Variable)[] = [];
    let end = 0;
    for (const match of text.matchAll(expression)) {
      const variable = mean(match.slice(1).find((group) => group !== undefined) ?? '');
      if (variable === undefined) continue;
      pieces.push(text.slice(end, match.index), variable);
      end = match.index + match[0].length;
    }
    return [...pieces, text.slice(end)].filter((piece) => piece !== '');
  };
}

export const variableName = /^[A-Za-z_]\w{0,255}$/u;

/** `NAME`, or `NAME:-default`. */
export function withDefault(inner: string): Variable | undefined {
  const at = inner.indexOf(':-');
  const name = at < 0 ? inner : inner.slice(0, at);
  if (!variableName.test(name)) return undefined;
  return at < 0 ? { env: name } : { env: name, otherwise: inner.slice(at + 2) };
}

/** `$NAME`, `${NAME}` and `${NAME:-default}`, as in shells. */
export const asInShells: Spelling = spelledAs(/\$(?:\{([^{}]{1,256})\}|(\w{1,256}))/gu, withDefault);

/** Nothing is a variable. */
export const asWritten: Spelling = (text) => (text === '' ? [] : [text]);

/** The tool has no variables that contextd knows. So what looks like one has no value. */
export const asUnknown: Spelling = spelledAs(/\$\{([^{}]{1,256})\}/gu, (inner) => ({ unknown: `\${${inner}}` }));

const places: Readonly<Record<string, Place>> = {
  workspaceFolder: 'workspaceFolder',
  workspaceFolderBasename: 'workspaceFolderBasename',
  userHome: 'userHome',
  pathSeparator: 'separator',
  '/': 'separator',
};

/** `${env:NAME}`, `${workspaceFolder}` and others, as in editors. */
export const asInEditors: Spelling = spelledAs(/\$\{([^{}]{1,256})\}/gu, (inner) => {
  const place = ownValue(places, inner);
  if (place !== undefined) return { place };
  const [kind, name = ''] = inner.split(':');
  if (kind === 'env' && variableName.test(name)) return { env: name };
  return inner.includes(':') ? { unknown: `\${${inner}}` } : undefined;
});
