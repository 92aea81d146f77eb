/** `docker/fleet/`, as far as it can be known without an engine: processes stand in the place of its containers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { entryPath } from '../support/daemon.ts';
import { bodyOf, startSidecar } from '../support/fleet.ts';
import { createTestDatabase, hasPostgres, onPostgres } from '../support/shared-postgres.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const fleet = join(import.meta.dirname, '../../docker/fleet');

/** What `failover.sh` asks of an engine, done here. Any other word ends it. */
const standIn = `#!/bin/sh
set -eu
printf '%s\\n' "$*" >>"$ASKED"
case "$*" in
  'compose version' | 'compose up --build --wait database one two') ;;
  'compose exec -T one /usr/local/bin/node dist/contextd.js '*) shift 6; exec "$NODE" "$CONTEXTD" "$@" ;;
  'compose run --rm -T runtime') exec "$NODE" runtime.ts helper "$MESSAGES" "$ONE" "$TWO" ;;
  'compose kill --signal KILL one') kill -KILL "$ONE_PID" ;;
  'compose --profile runtime down --volumes') ;;
  *) echo "nobody knows: $*" >&2; exit 64 ;;
esac
`;

describe('docker/fleet', () => {
  it('FT-01 listens where it is asked for its health, and where the runtime looks for it', () => {
    const { services, secrets } = parse(readFileSync(join(fleet, 'compose.yaml'), 'utf8'), { merge: true });
    const addresses = [services.one, services.two].map(({ command, healthcheck }) => {
      const at = command.indexOf('--port');
      const address = `http://127.0.0.1:${at === -1 ? 4747 : command[at + 1]}`;
      expect(healthcheck.test.at(-1)).toContain(`${address}/health`);
      expect(command.slice(-2)).toEqual(['--store-password-file', '/run/secrets/password']);
      return address;
    });
    expect(services.runtime.command.slice(-2)).toEqual(addresses);
    for (const { image, build, volumes = [] } of Object.values<{
      image?: string;
      build?: { context: string; dockerfile: string };
      volumes?: string[];
    }>(services)) {
      if (build !== undefined) expect(existsSync(join(fleet, build.context, build.dockerfile))).toBe(true);
      else expect(image).toMatch(/^[a-z]+:[\w.@:-]+$/u);
      for (const volume of volumes) expect(existsSync(join(fleet, volume.split(':')[0] ?? ''))).toBe(true);
    }
    const base = /^FROM (\S+)/mu.exec(readFileSync(join(fleet, '../Dockerfile'), 'utf8'))?.[1];
    expect(services.runtime.image).toBe(base);
    expect(secrets).toEqual({ password: { file: './password' } });
    // Where it is made, it is not to be committed, nor sent to the builder.
    for (const ignored of ['.gitignore', '.dockerignore'])
      expect(readFileSync(join(fleet, '../..', ignored), 'utf8')).toMatch(/^\/?docker\/fleet\/password$/mu);
  });

  it.skipIf(!hasPostgres)(
    `FT-01 FT-04 failover.sh kills a sidecar in the middle, and says how it went ${onPostgres}`,
    async () => {
      const store = await createTestDatabase();
      await using one = await startSidecar(store);
      await using two = await startSidecar(store);
      const directory = temporaryDirectory();
      // Where no other package.json says that it is a module, as in a container.
      cpSync(fleet, directory, { recursive: true });
      mkdirSync(join(directory, 'bin'));
      const docker = join(directory, 'bin/docker');
      writeFileSync(docker, standIn);
      chmodSync(docker, 0o755);
      const run = async (messages: string) => {
        const asked = join(directory, `asked-${messages}`);
        const script = spawn('/bin/sh', [join(directory, 'failover.sh')], {
          env: {
            PATH: `${join(directory, 'bin')}:${process.env.PATH}`,
            HOME: one.home,
            ASKED: asked,
            NODE: process.execPath,
            CONTEXTD: entryPath,
            CONTEXTD_STATE_DIR: one.stateDirectory,
            ONE: one.url,
            TWO: two.url,
            ONE_PID: `${one.process.child.pid}`,
            MESSAGES: messages,
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        let said = '';
        for (const stream of [script.stdout, script.stderr])
          stream.setEncoding('utf8').on('data', (text: string) => {
            said += text;
          });
        const [code] = await once(script, 'close');
        return { code, said, asked: readFileSync(asked, 'utf8') };
      };
      // A conversation that ends before is no proof.
      const tooShort = await run('5');
      expect(tooShort).toMatchObject({ code: 1, said: expect.stringContaining('5 messages and 5 replies') });
      expect(tooShort.asked).toContain('down --volumes');
      // What is stored goes with the containers.
      await bodyOf(one, '/v1/agents/helper', { method: 'DELETE' });
      const whole = await run('30');
      expect(whole).toMatchObject({
        code: 0,
        said: expect.stringContaining('30 messages and 30 replies, at 61: none lost'),
      });
      expect(whole.said).toContain(`message 12 by way of ${one.url}`);
      expect(whole.said).toContain(`message 30 by way of ${two.url}`);
      expect(whole.asked.trim().split('\n').at(-1)).toBe('compose --profile runtime down --volumes');
    },
  );
});
