/** The message of the daemon when it is ready. */
import { grantedPaths } from '../../access/granted-paths.ts';
import type { Engine } from '../../engine.ts';
import type { Logger } from '../../ports/ports.ts';
import { printJsonLine } from '../render/json.ts';
import { type Ready, readyMessage } from '../render/ready-message.ts';
import { type Endpoint, riskOf } from './embedder-settings.ts';
import type { ServeFlags } from './serve-settings.ts';

type TellOptions = {
  flags: ServeFlags;
  binding: { host: string; risk?: string };
  logger: Logger;
  embedder: Endpoint | undefined;
};

/** Says where the daemon listens, in its log and on standard output. */
export async function tellReady(
  engine: Engine,
  where: Omit<Ready, 'grantedRoots'>,
  { flags, binding, logger, embedder }: TellOptions,
): Promise<void> {
  if (binding.risk !== undefined) logger.warn({ host: binding.host }, binding.risk);
  const sent = embedder && riskOf(embedder);
  if (sent !== undefined) logger.warn({ model: embedder?.model }, sent);
  for (const { code, message } of await engine.settingsWarnings()) logger.warn({ code }, message);
  const grantedRoots = grantedPaths(await engine.listRoots());
  const ready = { ...where, grantedRoots, ...(embedder && { embedder: embedder.url.origin }) };
  logger.info(ready, 'ready');
  // The daemon continues even if nobody reads the message, or the disk is full.
  process.stdout.removeAllListeners('error').on('error', () => {});
  if (flags.json === true) printJsonLine({ ...ready, pid: process.pid });
  else process.stdout.write(readyMessage(ready));
}
