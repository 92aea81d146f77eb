/** The daemon's page for people. The API and the command line can do everything that it can. */
import { render } from 'preact';
import './styles/base.css';
import './styles/elements.css';
import './styles/shell.css';
import { followEvents, watchConnection } from './api/events.ts';
import { shareSession, signInByAddress } from './api/sign-in.ts';
import { rememberDirectory } from './recent-directories.ts';
import { addressOf, followAddress, go } from './route.ts';
import { Shell } from './shell/shell.tsx';
import { followTheme } from './theme.ts';

followTheme();
shareSession();
watchConnection();
followEvents();
// Before anything else sees the address.
addEventListener('hashchange', () => void takeCode());
followAddress();
await takeCode();
render(<Shell />, document.getElementById('console') as HTMLElement);

/** Signs in with the code of the address, after removing it from the address and the history. */
async function takeCode(): Promise<void> {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const code = fragment.get('code');
  if (code === null || location.hash.startsWith('#/')) return;
  const directory = fragment.get('dir') ?? undefined;
  go(addressOf('workspace', { dir: directory }), 'replace');
  if (directory !== undefined) rememberDirectory(directory);
  await signInByAddress(code);
}
