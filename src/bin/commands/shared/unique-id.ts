/** On the command line, the beginning of an id is enough if it is unique. */
import { wrongUsage } from '../../exit-codes.ts';

/** Characters of an id of the daemon, which are hexadecimal. */
const idLength = 32;

/**
 * The id that begins with `written`. `list` is called unless it is a whole id. If there is no such id, returns
 * `written`, which the daemon refuses. Throws `CommandFailure` if there are several.
 */
export async function uniqueId(written: string, list: () => Promise<readonly { id: string }[]>): Promise<string> {
  if (written.length >= idLength || !/^[0-9a-f]{1,32}$/u.test(written)) return written;
  const found = (await list()).map(({ id }) => id).filter((id) => id.startsWith(written));
  if (found.length <= 1) return found[0] ?? written;
  const shown = `${found.slice(0, 4).join(', ')}${found.length > 4 ? ', …' : ''}`;
  throw wrongUsage(`${found.length} ids begin with ${written}: ${shown}`);
}
