import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { daemonEnvironment, daemonNodeOptions } from '../../src/bin/daemon/node-options.ts';
import { commandOf, parseDockerfile, stagesOf } from './dockerfile.ts';

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'docker/Dockerfile'), 'utf8');
const stages = stagesOf(parseDockerfile(text));
const last = stages.at(-1);
const lastOf = (name: string) => last?.instructions.findLast((each) => each.name === name)?.rest ?? '';

describe('docker/Dockerfile', () => {
  it('SY-06 is without fault for a linter', () => {
    const found = validate(text).map(({ range, message }) => `line ${range.start.line + 1}: ${message}`);
    expect(found).toEqual([]);
    // It would find one.
    expect(validate(text.replace('EXPOSE 4747', 'EXPOSE many'))).toHaveLength(1);
  });

  it('SY-06 copies only what is there, from stages that came before', () => {
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n');
    for (const [index, { instructions }] of stages.entries())
      for (const { flags, rest } of instructions.filter(({ name }) => name === 'COPY')) {
        const sources = rest.split(/\s+/u).slice(0, -1);
        const before = stages.slice(0, index).map(({ name }) => name);
        if (flags.from !== undefined) expect(before).toContain(flags.from);
        else
          for (const source of sources)
            expect([existsSync(join(root, source)), ignored]).toEqual([true, expect.not.arrayContaining([source])]);
      }
  });

  it('S-85 runs as a user without privileges, from one release of Node.js that the package allows, pinned by its digest', () => {
    expect(lastOf('USER')).toBe('1000:1000');
    const images = new Set(stages.map(({ image }) => image).filter((image) => image !== 'scratch'));
    expect(images.size).toBe(1);
    const [, major = '0'] =
      /^node:(\d+)\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/u.exec([...images][0] ?? '') ?? [];
    const [, least = '0'] = /(\d+)/u.exec(packageJson.engines.node) ?? [];
    expect(Number(major)).toBeGreaterThanOrEqual(Number(least));
  });

  it('starts what the package starts, and asks for its health where it listens', () => {
    expect(commandOf(lastOf('ENTRYPOINT'))).toEqual([
      '/usr/local/bin/node',
      ...daemonNodeOptions,
      packageJson.bin.contextd,
    ]);
    expect(packageJson.scripts.start).toContain(`node ${daemonNodeOptions.join(' ')} `);
    expect(commandOf(lastOf('CMD'))[0]).toBe('serve');
    // It is reached from outside only where another command says so.
    expect(commandOf(lastOf('CMD'))).toEqual(['serve', '--grant-root', '/workspace']);
    expect(lastOf('HEALTHCHECK')).toContain(`http://127.0.0.1:${lastOf('EXPOSE')}/health`);
    expect(lastOf('ENV')).toContain(`CONTEXTD_STATE_DIR=${lastOf('VOLUME')}`);
    for (const [name, value] of Object.entries(daemonEnvironment)) expect(lastOf('ENV')).toContain(`${name}=${value}`);
  });
});

it('docker/compose.yaml gives the container no privileges, bounded memory and processes, and the same path inside and outside', () => {
  const compose = parse(readFileSync(join(root, 'docker/compose.yaml'), 'utf8'));
  const { contextd } = compose.services;
  expect(contextd).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  expect(contextd).toMatchObject({ mem_limit: expect.stringMatching(/^\d+[mg]$/u), pids_limit: expect.any(Number) });
  expect(existsSync(join(root, 'docker', contextd.build.context, contextd.build.dockerfile))).toBe(true);
  expect(contextd.ports).toEqual(['127.0.0.1:4747:4747']);
  // It is reached by the port that is published, under these names only.
  const hosts = (contextd.command as string[]).filter((each) => each.startsWith('--allowed-host'));
  expect(contextd.command).toContain('--dangerously-bind=0.0.0.0');
  expect(hosts).toEqual(['--allowed-host=localhost:4747', '--allowed-host=host.docker.internal:4747']);
  const volumes = contextd.volumes as string[];
  expect(volumes.some((volume) => volume.endsWith(`:${lastOf('VOLUME')}`))).toBe(true);
  expect(volumes.filter((volume) => !volume.startsWith('state:')).every((volume) => volume.endsWith(':ro'))).toBe(true);
});
