/**
 * Shortens the paths below a directory in a text: `instead` replaces `directory` and its `/`. The directory must not be
 * the end of a longer path: in `/srv/app/a.ts`, nothing is below `/app`.
 */
export function shortenPaths(text: string, directory: string, instead = ''): string {
  if (directory === '/') return text;
  const [first = '', ...others] = text.split(`${directory}/`);
  let [shown, before] = [first, first.at(-1) ?? ' '];
  for (const other of others) {
    shown += `${beforePath.test(before) ? instead : `${directory}/`}${other}`;
    before = other.at(-1) ?? '/';
  }
  return shown;
}

/** Characters before a path. Any other character, such as `)` in `/srv/(shop)/app/a.ts`, is the end of a name. */
const beforePath = /[\s"'`“‘«([{<>|,;:=]/u;
