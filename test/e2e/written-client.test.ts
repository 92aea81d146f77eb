/** The client of docs/write-a-client.md is run as it is written there, beside the daemon that it starts. */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { entryPath, runContextd, spawnContextd, temporaryDirectory, until } from '../support/daemon.ts';

const base = temporaryDirectory();
const project = join(base, 'shop');
const context = join(project, '.context');
const page = readFileSync(join(import.meta.dirname, '../../docs/write-a-client.md'), 'utf8');
const env = {
  HOME: base,
  CONTEXTD_PORT: '0',
  CONTEXTD_STATE_DIR: join(base, 'state'),
  PATH: `${join(base, 'bin')}:${process.env.PATH}`,
};

afterAll(async () => {
  await runContextd(['stop'], { env });
  rmSync(base, { recursive: true, force: true });
});

it('the client of the documents finds, starts and asks the daemon, is granted the project, and follows changes over a restart', async () => {
  for (const directory of [context, join(base, 'bin')]) mkdirSync(directory, { recursive: true });
  const command = join(base, 'bin/contextd');
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${entryPath}' "$@"\n`);
  chmodSync(command, 0o755);
  const client = join(base, 'client.mjs');
  writeFileSync(client, /^```js\n([\s\S]*?)^```$/mu.exec(page)?.[1] ?? '');
  const write = (name: string) => writeFileSync(join(context, `${name}.md`), '---\ntrigger: always\n---\nUse tabs.\n');
  write('one');

  const { child, output, exited } = spawnContextd([project, 'src/a.ts'], { entry: client, env });
  const told = (name: string) => until(() => output.stdout.includes(`active ${name} trigger_always`));
  await told('one');
  write('two');
  await told('two');
  expect(await runContextd(['stop'], { env })).toMatchObject({ code: 0 });
  write('three');
  await told('three');
  write('four');
  await told('four');
  expect(output.stderr).toBe('');
  child.kill();
  await exited;
});
