import { delayedReference, reference, sqliteInMemory, sqliteOnDisk } from './contract/given.ts';
import { describeStoreContract } from './store-contract.ts';

describeStoreContract('the SQLite engine on disk', sqliteOnDisk);
describeStoreContract('the SQLite engine in memory', sqliteInMemory);
describeStoreContract('the reference store', reference);
describeStoreContract('the reference store behind random delays', delayedReference);
