import { rootStoreContract } from './store-contract.ts';
import { localKinds } from './store-kinds.ts';

for (const kind of localKinds) rootStoreContract(kind);
