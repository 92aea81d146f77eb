/** What one command, which answers and is gone, remembers to and logs to. */
import { ContextdError } from '../../errors.ts';
import type { Logger } from '../../ports/ports.ts';
import type { Store, StoredRoot } from '../../ports/store/store.ts';
import type { StoredSupplementaryItem } from '../../ports/store/supplementary.ts';

/** What a daemon has kept; `supplementary` by the names of the mounted directory that a command is about. */
export type Kept = { roots: StoredRoot[]; supplementary: ReadonlyMap<string, StoredSupplementaryItem[]> };

/** A store that knows what was kept and takes nothing more. */
export function frozenStore({ roots, supplementary }: Kept): Store {
  const refuse = async () => {
    throw grantedElsewhere();
  };
  return {
    roots: { list: async () => roots, add: refuse, remove: refuse },
    agents: refusing(),
    sessions: refusing(),
    vectors: refusing(),
    supplementary: {
      ...refusing(),
      list: async (mountedDirectory) => supplementary.get(mountedDirectory) ?? [],
    },
    tokens: { ...refusing(), list: async () => [] },
    // No server is started for one answer.
    approvals: { ...refusing(), list: async () => [] },
    export: () => {
      throw grantedElsewhere();
    },
    warnings: async () => [],
    figures: refuse,
    close: async () => {},
  };
}

function grantedElsewhere(): ContextdError {
  return new ContextdError('unavailable', 'Roots are granted through the daemon.');
}

/** A part of the store whose every verb refuses: what one command asks needs none of it. */
function refusing<Part extends object>(): Part {
  return new Proxy({} as Part, {
    get: () => async () => {
      throw new ContextdError('unavailable', 'Only a daemon keeps this. Start one with: contextd start');
    },
  });
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
