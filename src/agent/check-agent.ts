/** Checks an agent before it is stored. */
import { absolutePath } from '../context/normalize-request.ts';
import { placeInside } from '../context/placing.ts';
import type { EngineCore } from '../engine-core.ts';
import { refuseField } from '../errors.ts';
import type { NamedAgent } from './agent.ts';

/**
 * Directories are stored as they are written; they need not exist. Throws `invalid_request` and `path_outside_roots`.
 */
export async function checkDirectories(
  { mountedDirectory, workingDirectory }: NamedAgent,
  { homeDirectory, createWorld }: EngineCore,
): Promise<void> {
  if (mountedDirectory === undefined) {
    if (workingDirectory === undefined) return;
    throw refuseField('invalid_request', '/workingDirectory', 'A working directory needs a mounted directory.');
  }
  const mounted = absolutePath(mountedDirectory, '/mountedDirectory', homeDirectory);
  if (workingDirectory === undefined) return;
  await placeInside(workingDirectory, '/workingDirectory', await createWorld(mounted));
}
