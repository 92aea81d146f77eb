/** Writes `openapi.json` beside this file, from the routes as they are (`npm run openapi`). */
import { writeFile } from 'node:fs/promises';
import packageJson from '../package.json' with { type: 'json' };
import { createApp } from '../routes/app.ts';
import type { Engine } from '../src/engine.ts';

const app = await createApp({
  engine: { endEvents() {} } as unknown as Engine, // no request is made
  token: '',
  version: packageJson.version,
  startedAt: new Date(0),
  logger: false,
  instanceId: '',
  onShutdown() {},
});
await writeFile(new URL('openapi.json', import.meta.url), `${JSON.stringify(app.swagger(), undefined, 2)}\n`);
await app.close();
