import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clientTypes } from '../../openapi/client-types.ts';
import { describeClient } from './client-cases.ts';
import { clientsDirectory, driversDirectory } from './client-program.ts';

const root = join(import.meta.dirname, '../..');

describeClient('TypeScript', (directory) => {
  const [client, drivers] = [join(directory, 'clients/typescript'), join(directory, 'test/clients/drivers')];
  for (const each of [client, drivers]) mkdirSync(each, { recursive: true });
  for (const name of ['contextd.ts', 'types.ts'])
    copyFileSync(join(clientsDirectory, 'typescript', name), join(client, name));
  copyFileSync(join(driversDirectory, 'driver.ts'), join(drivers, 'driver.ts'));
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  // What a strict project has, and needs to import a file by its own name.
  const compilerOptions = { target: 'es2023', module: 'nodenext', strict: true, types: ['node'], outDir: 'out' };
  const more = {
    rewriteRelativeImportExtensions: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...compilerOptions, ...more } }));
  execFileSync(join(root, 'node_modules/.bin/tsc'), { cwd: directory });
  return [process.execPath, join(directory, 'out/test/clients/drivers/driver.js')];
});

it('AN-08 the types of the TypeScript client are those of the OpenAPI document', () => {
  const document = JSON.parse(readFileSync(join(root, 'openapi/openapi.json'), 'utf8'));
  expect(readFileSync(join(clientsDirectory, 'typescript/types.ts'), 'utf8')).toBe(clientTypes(document));
});
