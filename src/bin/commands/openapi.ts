import type { Command } from 'commander';

/** `contextd openapi`: the API's description, as it is committed. */
export function addOpenapiCommand(program: Command): void {
  program
    .command('openapi')
    .summary('Print the OpenAPI document.')
    .description('Prints the OpenAPI 3.1 document of the HTTP API (JSON). Needs no daemon.')
    .action(async () => {
      const { readFileSync } = await import('node:fs');
      const { join } = await import('node:path');
      const { packageDirectory } = await import('../state/package-info.ts');
      process.stdout.write(readFileSync(join(packageDirectory(), 'openapi/openapi.json')));
    });
}
