import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { describeClient } from './client-cases.ts';
import { clientsDirectory, driversDirectory, isInstalled } from './client-program.ts';

if (isInstalled('python3', '--version'))
  describeClient('Python', (directory) => {
    copyFileSync(join(clientsDirectory, 'python/contextd.py'), join(directory, 'contextd.py'));
    copyFileSync(join(driversDirectory, 'driver.py'), join(directory, 'driver.py'));
    return ['python3', '-W', 'error', join(directory, 'driver.py')];
  });
else describe.skip('the Python client', () => it('needs python3, which is not installed'));
