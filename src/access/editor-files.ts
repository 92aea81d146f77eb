/** Files that a user did not write. */

/** What Vim and Emacs put beside a file that is edited, and macOS into each folder. None of it has the name of a context file. */
export function isPutByEditor(name: string): boolean {
  const isOfEmacs = name.startsWith('#') && name.endsWith('#');
  const isOfVim = name === '4913' || ['.swp', '.swo', '.swn'].some((ending) => name.endsWith(ending));
  return isOfEmacs || isOfVim || name.endsWith('~') || name === '.DS_Store';
}
