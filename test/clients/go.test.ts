import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { describeClient } from './client-cases.ts';
import { clientsDirectory, driversDirectory, isInstalled } from './client-program.ts';

if (isInstalled('go', 'version'))
  describeClient('Go', (directory) => {
    mkdirSync(join(directory, 'contextd'));
    copyFileSync(join(clientsDirectory, 'go/contextd.go'), join(directory, 'contextd/contextd.go'));
    copyFileSync(join(driversDirectory, 'main.go'), join(directory, 'main.go'));
    writeFileSync(join(directory, 'go.mod'), 'module example.test/driver\n\ngo 1.19\n');
    const program = join(directory, 'program');
    execFileSync('go', ['vet', './...'], { cwd: directory });
    execFileSync('go', ['build', '-o', program, '.'], { cwd: directory });
    return [program];
  });
else describe.skip('the Go client', () => it('needs go, which is not installed'));
