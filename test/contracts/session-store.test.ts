import { sessionStoreContract } from './session-store-contract.ts';
import { localKinds } from './store-kinds.ts';

for (const kind of localKinds) sessionStoreContract(kind);
