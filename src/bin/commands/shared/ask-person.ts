/** Questions of commands to the person at the terminal. */
import { createInterface } from 'node:readline/promises';

/**
 * Asks on standard error, because standard output may be a file. Ctrl-C and Ctrl-D mean no. `undefined` if there is no
 * terminal.
 */
export async function askPerson(question: string, byDefault: 'yes' | 'no'): Promise<boolean | undefined> {
  const { stdin, stderr } = process;
  if (stdin.isTTY !== true || stderr.isTTY !== true) return undefined;
  const reader = createInterface({ input: stdin, output: stderr });
  try {
    const said = await reader.question(`${question} ${byDefault === 'yes' ? '[Y/n]' : '[y/N]'} `);
    return /^y(?:es)?$/iu.test(said.trim() || byDefault);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ABORT_ERR') throw error;
    console.error();
    return false;
  } finally {
    reader.close();
  }
}
