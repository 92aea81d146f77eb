import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parsePort, parseServeSettings, type ServeFlags } from '../../../src/bin/daemon/serve-settings.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

describe('settings of serve', () => {
  let cwd: string;
  beforeAll(() => {
    cwd = temporaryDirectory();
    mkdirSync(join(cwd, 'project'));
    writeFileSync(join(cwd, 'file'), '');
  });
  const parse = (flags: ServeFlags, environment: Record<string, string> = {}) =>
    parseServeSettings(flags, { environment, cwd, home: '/home/me' });

  it('SY-01 flags win over the environment, the environment over the defaults', () => {
    expect(parse({}).port).toBe(4747);
    expect(parse({}, { CONTEXTD_PORT: '' }).port).toBe(4747);
    expect(parse({}, { CONTEXTD_PORT: '0' }).port).toBe(0);
    expect(parse({ port: 0 }, { CONTEXTD_PORT: '5000' }).port).toBe(0);
    const environment = { CLIENT_CONTEXT_PATH: '.env-context', GLOBAL_CONTEXT_PATH: '/env' };
    expect(parse({}, environment).engine).toMatchObject({
      clientContextPath: '.env-context',
      globalContextPath: '/env',
    });
    expect(parse({ clientContextPath: 'ai/', globalContextPath: 'project' }, environment).engine).toMatchObject({
      clientContextPath: 'ai',
      globalContextPath: join(cwd, 'project'),
    });
    expect(parse({}).engine).toMatchObject({ clientContextPath: '.context', followSymlinks: false });
    expect(parse({}).engine.globalContextPath).toBeUndefined();
    expect(parse({ followSymlinks: true }).engine.followSymlinks).toBe(true);
  });

  it('AP-02 what holds without a policy: the flag, the environment, else allow; what cannot be understood blocks', () => {
    const variable = (value: string) => ({ CONTEXTD_DEFAULT_POLICY: value });
    expect(parse({}).engine.defaultPolicy).toBe('allow');
    expect(parse({}, variable('')).engine.defaultPolicy).toBe('allow');
    expect(parse({}, variable('block')).engine.defaultPolicy).toBe('block');
    expect(parse({ defaultPolicy: 'allow' }, variable('block')).engine.defaultPolicy).toBe('allow');
    const { engine, warnings } = parse({}, variable('deny'));
    expect([engine.defaultPolicy, warnings.map(({ code }) => code)]).toEqual(['block', ['invalid_default_policy']]);
  });

  it('FM-03 which formats of other tools are read: the flag, the environment, else all', () => {
    const variable = (value: string) => ({ CONTEXTD_FORMATS: value });
    expect(parse({}).engine.formats).toBe('all');
    expect(parse({}, variable('')).engine.formats).toBe('all');
    expect(parse({}, variable('none')).engine.formats).toBe('none');
    expect(parse({}, variable('cursor, gemini,')).engine.formats).toEqual(['cursor', 'gemini']);
    expect(parse({ formats: 'copilot' }, variable('none')).engine.formats).toEqual(['copilot']);
  });

  it('CC-04 whether links are followed: the flag, the environment, else no; what cannot be understood is a warning', () => {
    const variable = (value: string) => ({ CONTEXTD_FOLLOW_SYMLINKS: value });
    expect(parse({}, variable('')).engine.followSymlinks).toBe(false);
    expect(parse({}, variable('false')).engine.followSymlinks).toBe(false);
    expect(parse({}, variable('true')).engine.followSymlinks).toBe(true);
    expect(parse({ followSymlinks: true }, variable('false')).engine.followSymlinks).toBe(true);
    const { engine, warnings } = parse({}, variable('sometimes'));
    expect([engine.followSymlinks, warnings.map(({ code }) => code)]).toEqual([false, ['invalid_follow_symlinks']]);
  });

  it('a context path of the environment that cannot be used is a warning (CC-02)', () => {
    const { engine, warnings } = parse({}, { CLIENT_CONTEXT_PATH: '/absolute', GLOBAL_CONTEXT_PATH: 'relative' });
    expect(engine.clientContextPath).toBe('.context');
    expect(warnings.map(({ code }) => code)).toEqual(['invalid_client_context_path', 'invalid_global_context_path']);
  });

  it('granted roots are taken from the current directory and must exist', () => {
    expect(parse({ grantRoot: ['project', cwd] }).grantedRoots).toEqual([join(cwd, 'project'), cwd]);
    for (const path of ['missing', 'file', 'file/below', '~/nowhere']) {
      expect(() => parse({ grantRoot: [path] }), path).toThrow(expect.objectContaining({ exitCode: 78 }));
    }
  });

  it('a port or flag that cannot be used says so with the right exit code', () => {
    for (const value of ['x', '-1', '65536', '4747 ', '0x1', '1e3']) {
      expect(parsePort(value), value).toBeUndefined();
      expect(() => parse({}, { CONTEXTD_PORT: value }), value).toThrow(expect.objectContaining({ exitCode: 78 }));
    }
    expect(() => parse({ clientContextPath: '/abs' })).toThrow(expect.objectContaining({ exitCode: 64 }));
  });
});
