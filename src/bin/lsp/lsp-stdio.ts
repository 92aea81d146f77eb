/** contextd as a language server on standard input and output, in front of the daemon. */
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { daemonPlace } from '../client/daemon-place.ts';
import { createSteadyDaemon } from '../client/steady-daemon.ts';
import { connectTo } from '../daemon/start-daemon.ts';
import { parseContextEnvironment } from '../state/context-environment.ts';
import { packageVersion } from '../state/package-info.ts';
import { processSurroundings } from '../state/state-directory.ts';
import { serveLanguage } from './serve-language.ts';

/** Serves until the editor ends, then ends the process. Throws `CommandFailure` for an invalid place. */
export async function serveLspOnStdio(flags: { stateDir?: string }): Promise<void> {
  const surroundings = processSurroundings();
  const { clientContextPath } = parseContextEnvironment(surroundings.environment, surroundings.home);
  const daemon = createSteadyDaemon(connectTo(daemonPlace(flags.stateDir, surroundings)));
  const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout);
  serveLanguage(connection, { daemon, clientContextPath, version: packageVersion() });
  connection.listen();
}
