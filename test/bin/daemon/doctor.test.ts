import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { versionSeal } from '../../../src/adapters/sqlite/health.ts';
import { type Diagnosis, diagnose } from '../../../src/bin/daemon/doctor.ts';
import { listenOnLoopback } from '../../support/loopback.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});

const examine = (
  environment: Record<string, string> = { CONTEXTD_PORT: '0' },
  state = join(directory, 'state'),
): Promise<Diagnosis> => diagnose(state, { environment, cwd: directory, home: directory });
const faults = ({ findings }: Diagnosis): string[] =>
  findings.filter(({ state }) => state === 'fault').map(({ subject }) => subject);

describe('doctor', () => {
  it('SY-04 finds nothing wrong on a good machine, and makes nothing', async () => {
    const diagnosis = await examine();
    expect(faults(diagnosis)).toEqual([]);
    expect(diagnosis.healthy).toBe(true);
    expect(diagnosis.findings.find(({ subject }) => subject === 'daemon')).toMatchObject({
      state: 'notice',
      mend: expect.stringContaining('contextd start'),
    });
    expect(() => chmodSync(join(directory, 'state'), 0o700)).toThrow('ENOENT');
  });

  it('S-08 finds a state directory that others may write to, or that is none, and says how to mend it', async () => {
    chmodSync(directory, 0o777);
    const open = await examine(undefined, directory);
    expect(faults(open)).toEqual(['state directory']);
    expect(open.findings[2]?.mend).toBe(`chmod go-w '${directory}'`);
    expect(open.healthy).toBe(false);
    const file = join(directory, 'file');
    writeFileSync(file, '');
    expect(faults(await examine(undefined, file))).toContain('state directory');
  });

  it.runIf(process.getuid?.() === 0)('S-08 finds a file of the daemon that belongs to another user', async () => {
    writeFileSync(join(directory, 'contextd.log'), '');
    chownSync(join(directory, 'contextd.log'), 65_534, 65_534);
    const diagnosis = await examine(undefined, directory);
    expect(faults(diagnosis)).toEqual(['state directory']);
    expect(diagnosis.findings[2]?.says).toContain(`contextd.log is not safe to use: it belongs to another user`);
  });

  it('SY-04 finds a database of a newer contextd', async () => {
    const header = Buffer.alloc(100);
    header.writeUInt32BE(1_000, 60);
    header.writeInt32BE(versionSeal(1_000), 68);
    writeFileSync(join(directory, 'contextd.db'), header);
    const diagnosis = await examine(undefined, directory);
    expect(faults(diagnosis)).toEqual(['database']);
    expect(diagnosis.findings).toContainEqual(
      expect.objectContaining({
        says: expect.stringContaining('newer contextd'),
        mend: expect.stringContaining('newer'),
      }),
    );
  });

  it('SY-04 finds a port that is taken or no port, and variables that are not used', async () => {
    const server = createServer();
    const port = await listenOnLoopback(server);
    expect(faults(await examine({ CONTEXTD_PORT: String(port) }))).toEqual(['port']);
    server.close();
    expect(faults(await examine({ CONTEXTD_PORT: 'x', CLIENT_CONTEXT_PATH: '/abs' }))).toEqual(['port', 'environment']);
  });

  it('S-74 finds a discovery file that cannot be trusted', async () => {
    writeFileSync(join(directory, 'daemon.json'), '{}', { mode: 0o644 });
    expect(faults(await examine(undefined, directory))).toEqual(['daemon']);
  });
});
