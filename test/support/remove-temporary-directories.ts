/** For all tests: what a file has made with `temporaryDirectory` does not stay. */
import { afterAll } from 'vitest';
import { removeTemporaryDirectories } from './temporary-files.ts';

afterAll(removeTemporaryDirectories);
