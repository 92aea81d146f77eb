import { userInfo } from 'node:os';
import { isAbsolute } from 'node:path';

/**
 * Sets an empty or relative `HOME` to the home directory of the user's account. Node.js would look for it in the
 * current directory, which may be a repository. Without such an account, `HOME` is not set.
 */
export function settleHome(environment: NodeJS.ProcessEnv): void {
  if (environment.HOME === undefined || isAbsolute(environment.HOME)) return;
  delete environment.HOME;
  try {
    environment.HOME = userInfo().homedir;
  } catch {}
}
