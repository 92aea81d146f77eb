/** Store and log of a single command. */
import { ContextdError } from '../../errors.ts';
import type { Logger } from '../../ports/ports.ts';
import type { Store, StoredRoot } from '../../ports/store/store.ts';
import type { StoredSupplementaryItem } from '../../ports/store/supplementary.ts';

/** What a daemon stored. `supplementary`: by the names of the mounted directory of the command. */
export type Kept = { roots: StoredRoot[]; supplementary: ReadonlyMap<string, StoredSupplementaryItem[]> };

/** A read-only store of what a daemon stored. */
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
    // A single command starts no servers.
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

/** A part of the store that a single command never uses: all its verbs throw. */
function refusing<Part extends object>(): Part {
  return new Proxy({} as Part, {
    get: () => async () => {
      throw new ContextdError('unavailable', 'Only a daemon keeps this. Start one with: contextd start');
    },
  });
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
