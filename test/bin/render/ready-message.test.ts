import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readyMessage } from '../../../src/bin/render/ready-message.ts';
import { writeDiscoveryFile } from '../../../src/bin/state/discovery-file.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

const ready = {
  url: 'http://127.0.0.1:4747',
  version: '1.2.3',
  discoveryFile: '/s/daemon.json',
  grantedRoots: ['/code', '/notes'],
};

describe('what is said when the daemon is ready', () => {
  let directory: string;
  beforeEach(() => {
    directory = temporaryDirectory();
  });

  it('names the address, the discovery file and the granted roots, and never the token', () => {
    const message = readyMessage(ready);
    for (const part of ['1.2.3', ready.url, '/s/daemon.json', '/code', '/notes']) expect(message).toContain(part);
    expect(readyMessage({ ...ready, grantedRoots: [] })).toContain('contextd roots grant');
  });

  it('S-09 its first request works as it stands, with the token in no argument', () => {
    const discoveryFile = join(directory, "it's a daemon.json");
    const token = 'Abc-_123';
    const rest = { version: '1', startedAt: new Date(0), instanceId: 'i', pid: 1 };
    writeDiscoveryFile(discoveryFile, { url: ready.url, token, ...rest });
    // Stands in for curl: writes down its arguments and what it is sent.
    writeFileSync(
      join(directory, 'curl'),
      `#!/bin/sh\nprintf '%s\\n' "$@" > '${directory}/arguments'\ncat > '${directory}/sent'\n`,
    );
    chmodSync(join(directory, 'curl'), 0o755);
    const grantedRoots = [join(directory, "some $HOME 'root'")];
    const message = readyMessage({ ...ready, discoveryFile, grantedRoots });
    const request = message.slice(message.indexOf('sed -n'));
    execFileSync('/bin/sh', ['-c', request], { env: { PATH: `${directory}${delimiter}${process.env.PATH}` } });
    const args = readFileSync(join(directory, 'arguments'), 'utf8').split('\n');
    expect(readFileSync(join(directory, 'sent'), 'utf8')).toBe(`Authorization: Bearer ${token}\n`);
    expect(args).toContain('@-');
    // A proxy of the environment would get the token, and cannot reach this machine's loopback.
    expect(args.join(' ')).toContain('--noproxy *');
    expect(args).toContain(JSON.stringify({ mountedDirectory: grantedRoots[0] }));
    expect(args).toContain(`${ready.url}/v1/context/resolve`);
    expect(args.join('\n')).not.toContain(token);
  });
});
