/** Whether the mounted directory of a request can be used (CC-33, S-37). */

import { isInRoots, liesInRoots } from '../access/reach.ts';
import { leadsOutside } from '../access/real-place.ts';
import type { World } from '../access/world.ts';
import { type ContextdError, refuseField } from '../errors.ts';

const pointer = '/mountedDirectory';
const howToGrant = 'with "contextd roots grant <dir>", POST /v1/roots, or --grant-root.';

/** Throws `path_outside_roots`, `not_found`, `unavailable` or `invalid_request` for a directory that cannot be used. */
export async function checkMountedDirectory(mountedDirectory: string, world: World): Promise<void> {
  const { gate, reach } = world;
  const { roots } = reach;
  const real = await gate.realPath(mountedDirectory);
  // The disk of a link does not tell whether it leads into a root.
  if (!real.ok && real.code === 'io_error') throw unreadable(mountedDirectory, real.code);
  if (!isInRoots(mountedDirectory, roots)) {
    const message = `The mounted directory lies outside the granted roots. Grant it ${howToGrant}`;
    throw refuseField('path_outside_roots', pointer, message);
  }
  if (!real.ok) {
    const isLed = await leadsOutside(mountedDirectory, roots, gate);
    throw isLed ? ledOutside(mountedDirectory) : unreadable(mountedDirectory, real.code);
  }
  if (!liesInRoots(real.realPath, roots)) throw ledOutside(mountedDirectory);
  const stat = await gate.stat(real.realPath);
  if (!stat.ok) throw unreadable(mountedDirectory, stat.code);
  if (stat.kind !== 'directory')
    throw refuseField('invalid_request', pointer, `The mounted directory is not a directory: ${mountedDirectory}`);
}

/** One message for both cases, so that it does not tell whether something exists outside. */
function ledOutside(mountedDirectory: string): ContextdError {
  const message = `A link on the way to the mounted directory leads outside the granted roots, or to nothing: ${mountedDirectory}. Grant the directory that it leads to ${howToGrant}`;
  return refuseField('path_outside_roots', pointer, message);
}

function unreadable(mountedDirectory: string, code: string): ContextdError {
  // It may exist.
  if (code === 'io_error') {
    const message = `The mounted directory cannot be read: the disk fails or does not answer at ${mountedDirectory}.`;
    return refuseField('unavailable', pointer, message);
  }
  const message =
    code === 'unreadable'
      ? `The mounted directory cannot be reached (permissions): ${mountedDirectory}`
      : `The mounted directory does not exist: ${mountedDirectory}`;
  return refuseField('not_found', pointer, message);
}
