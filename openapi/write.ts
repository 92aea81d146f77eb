/**
 * Writes `openapi.json` and `schemas/` beside this file, the types of `clients/typescript/`, and the keys in `docs/rules.md`,
 * from the code (`npm run openapi`).
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { createApp } from '../routes/app.ts';
import type { Engine } from '../src/engine.ts';
import type { ConsoleSessions, SignInPages } from '../src/sign-in/console-sessions.ts';
import { CheckedKind } from '../src/validation/diagnostic.ts';
import { jsonSchemaOf } from '../src/validation/json-schemas.ts';
import { clientTypes } from './client-types.ts';
import { withKeyTable } from './key-table.ts';

const app = await createApp({
  engine: { endEvents() {}, tokens: { onRevoked() {} } } as unknown as Engine, // no request is made
  token: '',
  version: packageJson.version,
  startedAt: new Date(0),
  logger: false,
  instanceId: '',
  onShutdown() {},
  answerHook: async () => ({}),
  console: { sessions: {} as ConsoleSessions, pages: {} as SignInPages, name: '', directory: '' },
});
const document = JSON.parse(JSON.stringify(app.swagger()));
await writeFile(new URL('openapi.json', import.meta.url), `${JSON.stringify(document, undefined, 2)}\n`);
await writeFile(join(import.meta.dirname, '../clients/typescript/types.ts'), clientTypes(document));
await app.close();

for (const kind of CheckedKind.options) {
  const text = JSON.stringify(jsonSchemaOf(kind), undefined, 2);
  // Lists of words on one line where they fit, as the formatter has them.
  const formatted = text.replaceAll(/\[\s+((?:"[^"]*",?\s+)+)\]/gu, (list: string, words: string) => {
    const line = `[${words.trim().replaceAll(/\s+/gu, ' ')}]`;
    return line.length > 100 ? list : line;
  });
  await writeFile(new URL(`schemas/${kind}.json`, import.meta.url), `${formatted}\n`);
}

const rules = join(import.meta.dirname, '../docs/rules.md');
await writeFile(rules, withKeyTable(await readFile(rules, 'utf8')));
