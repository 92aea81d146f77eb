/** The parts of a path that tell the kind of its file (RT-02). */

/**
 * In lower case. `endings`: what follows each dot of the file name. `written`: the folders and the stem as they are.
 */
export type FilePath = Readonly<{
  written: readonly string[];
  folders: readonly string[];
  file: string;
  stem: string;
  endings: readonly string[];
}>;

export type FileKind = Readonly<{
  /** What a match counts: enough to be found if nothing else fits as well. */
  share: number;
  /** Queries that ask for such files. */
  asksFor: RegExp;
  has(path: FilePath): boolean;
}>;

export const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/u));

export const proseEndings = words('adoc asciidoc ipynb livemd markdown md mdx org qmd rmd rst txt');

export function readPath(name: string): FilePath {
  const folders = name.split('/');
  const file = folders.pop() ?? '';
  const [stem = '', ...endings] = file.toLowerCase().split('.');
  return {
    written: [...folders, file.split('.')[0] as string],
    folders: folders.map((folder) => folder.toLowerCase()),
    file: file.toLowerCase(),
    stem,
    endings,
  };
}
