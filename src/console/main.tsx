/** The page of the daemon for people. It does nothing that the API and the command line cannot. */
import { render } from 'preact';
import './styles/base.css';
import './styles/elements.css';
import './styles/shell.css';
import { followEvents, watchConnection } from './api/events.ts';
import { asProblem } from './api/request.ts';
import { shareSession, signInWithCode } from './api/sign-in.ts';
import { rememberDirectory } from './recent-directories.ts';
import { addressOf, followAddress, go } from './route.ts';
import { Shell } from './shell/shell.tsx';
import { refusal } from './shell/signed-out.tsx';
import { followTheme } from './theme.ts';

followTheme();
followAddress();

const fragment = new URLSearchParams(location.hash.slice(1));
const code = fragment.get('code');
if (code !== null) {
  // Out of the address and the history before anything else.
  const directory = fragment.get('dir') ?? undefined;
  go(addressOf('workspace', { dir: directory }), 'replace');
  if (directory !== undefined) rememberDirectory(directory);
}
shareSession();
watchConnection();
followEvents();
if (code !== null)
  await signInWithCode(code).catch((error: unknown) => {
    const problem = asProblem(error);
    refusal.text =
      problem.code === 'unauthorized'
        ? 'The code of the address was used already or is older than a minute.'
        : problem.message;
  });
render(<Shell />, document.getElementById('console') as HTMLElement);
