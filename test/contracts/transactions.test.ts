import { localKinds } from './store-kinds.ts';
import { transactionsContract } from './transactions-contract.ts';

for (const kind of localKinds) transactionsContract(kind);
