/** Writes the choice of formats of a project (FM-14). */
import type { EngineCore } from '../engine-core.ts';
import { ContextdError } from '../errors.ts';
import { createTurnsByKey } from '../pace/turns-by-key.ts';
import type { ExpectedVersion } from '../ports/expected-version.ts';
import type { FileWriter } from '../ports/ports.ts';
import { ownChoice } from './formats-change.ts';
import type { FormatsWriteRequest, FormatsWritten } from './formats-request.ts';
import { writeFormats } from './write-formats.ts';

/**
 * Writes into the configuration that `change` of `formats` names, if the caller has seen its current version. Throws
 * like `resolve`, and also `version_mismatch`, `conflict` for a text that cannot be changed, `storage_full` and
 * `unavailable`.
 */
export type PutFormats = (
  request: FormatsWriteRequest,
  expected: ExpectedVersion,
) => Promise<{ written: FormatsWritten; created: boolean }>;

/** Without a `fileWriter`, writing is refused. */
export function createPutFormats(core: EngineCore, fileWriter: FileWriter | undefined): PutFormats {
  const inTurn = createTurnsByKey();
  return async ({ mountedDirectory: asWritten, formats }, expected) => {
    if (fileWriter === undefined) throw new ContextdError('unavailable', 'Configurations cannot be written here.');
    const { mountedDirectory, world } = await core.openWorkspace(asWritten);
    const composition = await core.compose({ mountedDirectory, content: false });
    const { path } = ownChoice(composition, core.settings.clientContextPath);
    const { etag, created } = await inTurn(path, () => writeFormats(path, formats, { expected, world, fileWriter }));
    const changes = [{ path, change: created ? ('added' as const) : ('changed' as const) }];
    core.publish('context-changed', { mountedDirectories: [mountedDirectory], changes });
    return { written: { configuration: path, formats, etag }, created };
  };
}
