/** What a writer may know of what it changes. */
import type { ExpectedVersion } from '../../src/ports/expected-version.ts';

export const nothingYet: ExpectedVersion = (present) => present === undefined;

export const atVersion =
  (...versions: readonly (string | undefined)[]): ExpectedVersion =>
  (present) =>
    present !== undefined && versions.includes(present);
