/**
 * Writes the choice of formats into the configuration of a project, if the caller has seen its current version (FM-14).
 */
import type { FileSnapshot } from '../access/gate.ts';
import { parentPath } from '../access/paths.ts';
import { realNamesOf } from '../access/reach.ts';
import {
  etagOf,
  failedChange,
  isSame,
  mismatch,
  presentFile,
  refusedChange,
  type SeenKind,
  snapshotOf,
} from '../access/seen-file.ts';
import { decideSensitive } from '../access/sensitive.ts';
import type { World } from '../access/world.ts';
import type { EngineCore } from '../engine-core.ts';
import { ContextdError, refuseField } from '../errors.ts';
import { createTurnsByKey } from '../pace/turns-by-key.ts';
import type { ExpectedVersion } from '../ports/expected-version.ts';
import type { FileWriter } from '../ports/ports.ts';
import { changeJsonValue, changeYamlValue } from '../texts/change-value.ts';
import { compareText } from '../texts/compare-text.ts';
import { withoutMark } from '../texts/decode-text.ts';
import { type ContextConfig, parseContextConfig } from './config.ts';
import type { FormatChoice } from './formats/choose-formats.ts';
import { ownChoice } from './formats-change.ts';
import type { FormatsWriteRequest, FormatsWritten } from './formats-request.ts';

const kind: SeenKind = { what: 'configuration', pointer: '/mountedDirectory' };

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

/** The configuration at `path`. Undefined if there is none. Throws if it cannot be replaced. */
async function presentConfig(path: string, world: World): Promise<FileSnapshot | undefined> {
  // contextd could not read it again.
  if ([path, ...realNamesOf(path, world.reach.roots)].some(decideSensitive))
    throw refusedChange(kind, { code: 'sensitive' });
  const directory = await world.gate.stat(parentPath(path));
  if (directory.ok && directory.kind === 'symlink') throw refusedChange(kind, { code: 'symlink' });
  return presentFile(path, world, kind);
}

/**
 * Throws `version_mismatch`, `conflict` for a text that cannot be changed, and the error of a disk that cannot be
 * written.
 */
async function writeFormats(
  path: string,
  formats: FormatChoice,
  context: { expected: ExpectedVersion; world: World; fileWriter: FileWriter },
): Promise<{ etag: string; created: boolean }> {
  const { expected, world, fileWriter } = context;
  const maxBytes = world.limits.configBytes;
  const seen = await presentConfig(path, world);
  if (!expected(seen && etagOf(seen))) throw mismatch(kind, expected, seen !== undefined);
  const text = changeConfig(seen, { path, formats });
  const written = snapshotOf(path, text, maxBytes);
  if (written.truncated) throw byHand(path);
  const answer = await fileWriter.replace(path, new TextEncoder().encode(text), {
    roots: world.reach.roots,
    maxBytes,
    isExpected: isSame(seen),
    makesDirectory: true,
  });
  if (!answer.ok) throw failedChange(kind, answer, expected);
  return { etag: etagOf(written), created: seen === undefined };
}

/** The text with this choice. Everything else stays the same. */
function changeConfig(
  seen: FileSnapshot | undefined,
  { path, formats }: { path: string; formats: FormatChoice },
): string {
  const format = path.endsWith('.json') ? 'json' : 'yaml';
  const present =
    seen === undefined ? '' : seen.truncated || seen.text === undefined ? undefined : withoutMark(seen.text);
  const read = (text: string): ContextConfig => parseContextConfig(text, { path, format }).value;
  if (present !== undefined && present.trim() === '') {
    const value = { clientContext: { formats } };
    return format === 'json'
      ? `${JSON.stringify(value, undefined, 2)}\n`
      : changeYamlValue('', ['clientContext', 'formats'], formats);
  }
  const isBroken =
    present === undefined ||
    parseContextConfig(present, { path, format }).warnings.some(({ code }) => code === 'invalid_config');
  const change = format === 'json' ? changeJsonValue : changeYamlValue;
  const changed = isBroken ? undefined : attempt(() => change(present, ['clientContext', 'formats'], formats));
  // A library may misread an unusual text. So check that only the choice of formats has changed.
  if (changed !== undefined && says(read(changed), withFormats(read(present as string), formats))) return changed;
  throw byHand(path);
}

function byHand(path: string): ContextdError {
  const message = `The configuration ${path} cannot be changed by a program in its present form. Write "formats" into its "clientContext" by hand.`;
  return refuseField('conflict', kind.pointer, message);
}

function attempt(work: () => string): string | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function withFormats({ clientContext, mcpServers }: ContextConfig, formats: FormatChoice): ContextConfig {
  return { clientContext: { ...clientContext, formats }, mcpServers };
}

function says(config: ContextConfig, wanted: ContextConfig): boolean {
  return asText(config) === asText(wanted);
}

/** Sorts keys, because the position of a new key does not matter. Servers keep their order. */
function asText({ clientContext, mcpServers }: ContextConfig): string {
  const entries = Object.entries(clientContext).sort(([a], [b]) => compareText(a, b));
  return JSON.stringify([entries, [...mcpServers]]);
}
