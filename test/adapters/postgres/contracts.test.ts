/** The contracts of every store, on PostgreSQL. */
import { beforeAll, describe } from 'vitest';
import { agentStoreContract } from '../../contracts/agent-store-contract.ts';
import { approvalStoreContract } from '../../contracts/approval-store-contract.ts';
import { sessionStoreContract } from '../../contracts/session-store-contract.ts';
import { rootStoreContract } from '../../contracts/store-contract.ts';
import { supplementaryStoreContract } from '../../contracts/supplementary-store-contract.ts';
import { transactionsContract } from '../../contracts/transactions-contract.ts';
import { vectorStoreContract } from '../../contracts/vector-store-contract.ts';
import { createTestDatabase, hasPostgres, onPostgres } from '../../support/shared-postgres.ts';
import { openStore, tenantOf } from './support.ts';

describe.skipIf(!hasPostgres)(onPostgres, () => {
  let address: string;
  beforeAll(async () => {
    address = await createTestDatabase();
  });
  const kind = {
    name: 'postgres',
    isLasting: true,
    create: (directory: string, options = {}) => openStore(address, { tenant: tenantOf(directory), ...options }),
  };
  rootStoreContract(kind);
  agentStoreContract(kind);
  approvalStoreContract(kind);
  sessionStoreContract(kind);
  supplementaryStoreContract(kind);
  vectorStoreContract(kind);
  transactionsContract(kind);
});
