/** Configurations that are broken, huge, no files at all, or reach for prototypes: the answer is good and says so. */
import { expect } from 'vitest';
import { attackDaemon, attackWith, type HostileCase } from '../support/hostile-cases.ts';
import type { HostileTree } from '../support/hostile-workspaces.ts';

const attack = attackDaemon();

const config = '.context/context-config.json';
const defaults = {
  includeFiles: ['*'],
  excludeFiles: ['context-config.json'],
  ignoreGlobalContext: false,
  ignoreAncestorContext: false,
};

type Expected = Partial<HostileCase> & { shown?: Record<string, unknown> };

/** A configuration whose merged outcome is the defaults, or the defaults with `shown`. */
function configured(name: string, build: (tree: HostileTree) => void | Promise<void>, expected: Expected): HostileCase {
  const { shown, ...rest } = expected;
  return {
    name,
    build,
    excluded: { 'context-config.json': 'excluded_by_config' },
    ...rest,
    async also(answer, tree, running) {
      expect(answer.config.clientContext).toEqual({ ...defaults, ...shown });
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      await rest.also?.(answer, tree, running);
    },
  };
}
const fixture = (row: string, name: string, expected: Expected = {}): HostileCase =>
  configured(
    `${row} fixtures/hostile/configs/${name}.json`,
    (tree) => tree.fixture(config, `configs/${name}.json`),
    expected,
  );
const text = (name: string, content: string | Uint8Array, expected: Expected = {}): HostileCase =>
  configured(name, (tree) => tree.write(config, content), expected);

const one = (code: string): Expected => ({ warnings: [`${code} context-config.json`] });
const several = (code: string, count: number): Expected => ({
  warnings: Array.from({ length: count }, () => `${code} context-config.json`),
});
const broken = one('invalid_config');
const notRead = one('config_not_read');
const servers = (...names: string[]): Pick<HostileCase, 'also'> => ({
  also: ({ config }) => expect(Object.keys(config.mcpServers)).toEqual(names),
});

attackWith('broken configurations', attack, [
  fixture('S-62', 'empty'),
  fixture('S-62', 'blank'),
  fixture('S-62', 'mark', { shown: { ignoreGlobalContext: true } }),
  fixture('S-62', 'mark-only'),
  ...[
    ...['null', 'list', 'text', 'number', 'true', 'comments', 'trailing-comma', 'truncated', 'single-quotes', 'nan'],
    ...['two-values', 'javascript'],
  ].map((name) => fixture('S-62', name, broken)),
  fixture('S-62', 'nul', notRead),
  fixture('S-62', 'invalid-utf-8', notRead),
  fixture('S-62', 'utf-16', notRead),
  fixture('S-62', 'wrong-types', several('invalid_config_value', 5)),
  fixture('S-62', 'wrong-elements', several('invalid_config_value', 7)),
  fixture('S-62', 'huge-number', one('invalid_config_value')),
  fixture('S-62', 'unknown-keys', several('unknown_config_key', 3)),
  fixture('S-62', 'duplicate-keys', one('duplicate_config_key')),
  fixture('S-62', 'surrogate-escape', { shown: { excludeFiles: ['context-config.json', '\ud800'] } }),
  fixture('S-17', 'commands', servers('x')),
]);

attackWith('prototypes', attack, [
  fixture('S-61', 'proto', several('unknown_config_key', 4)),
  fixture('S-61', 'proto-servers', { ...several('invalid_config_value', 6), ...servers('fine') }),
  fixture('S-61', 'proto-server-fields', {
    warnings: ['invalid_config_value context-config.json', 'unknown_config_key context-config.json'],
    ...servers('b'),
  }),
  text(
    'S-61 every inherited name as a key',
    JSON.stringify(Object.fromEntries(Object.getOwnPropertyNames(Object.prototype).map((name) => [name, {}]))),
    several('unknown_config_key', Object.getOwnPropertyNames(Object.prototype).length),
  ),
]);

const deep = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);

attackWith('huge configurations', attack, [
  text('S-62 100,000 levels of lists', deep('[', ']', 100_000), broken),
  text('S-62 40,000 levels of objects', `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`, broken),
  text('S-62 120,000 unclosed lists', '['.repeat(120_000), broken),
  text('S-62 levels below clientContext', `{"clientContext":${deep('[', ']', 1_000)}}`, broken),
  text('S-62 10 MB', `{"clientContext":{"includeFiles":[${'"a",'.repeat(2_500_000)}"a"]}}`, one('config_too_large')),
  text('S-62 one byte more than the limit', '{}'.padEnd(256 * 1024 + 1), one('config_too_large')),
  text('S-62 exactly the limit', '{}'.padEnd(256 * 1024)),
  configured('S-62 10 GiB without content', (tree) => tree.sparse(config, 10 * 1024 ** 3), one('config_not_read')),
  text('S-62 20,000 keys', `{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":1`).join()}}`, broken),
  text('S-62 4,000 unknown keys', `{${Array.from({ length: 4_000 }, (_, i) => `"k${i}":1`).join()}}`, {
    warnings: [...(several('unknown_config_key', 32).warnings ?? []), 'more_warnings context-config.json'],
  }),
  text('S-62 3,000 times the same key', `{${Array.from({ length: 3_000 }, () => '"clientContext":{}').join()}}`, {
    ...one('duplicate_config_key'),
  }),
  text('S-62 2,000 servers', `{"mcpServers":{${Array.from({ length: 2_000 }, (_, i) => `"s${i}":{"url":"x"}`)}}}`, {
    ...one('invalid_config_value'),
    also: ({ config }) => expect(Object.keys(config.mcpServers)).toHaveLength(256),
  }),
  text('S-62 a text of 250 KB', JSON.stringify({ clientContext: { excludeFiles: ['x'.repeat(250_000)] } }), {
    ...one('invalid_config_value'),
  }),
  text('S-62 250 KB of digits', `{"clientContext":${'9'.repeat(250_000)}}`, one('invalid_config_value')),
  text('S-62 40,000 escapes', `{"clientContext":{"excludeFiles":["${'\\u0061'.repeat(40_000)}"]}}`, {
    ...one('invalid_config_value'),
  }),
]);

attackWith('configurations that are no files', attack, [
  configured('S-62 a directory', (tree) => tree.directory(config), { ...notRead, excluded: {} }),
  configured('S-62 a directory with files', (tree) => tree.write(`${config}/x.md`, 'text'), {
    ...notRead,
    excluded: { 'context-config.json/x.md': 'excluded_by_config' },
  }),
  configured('S-62 a directory named config.yaml', (tree) => tree.write('.context/config.yaml/x.md', 'text'), {
    excluded: {},
    files: { 'config.yaml/x.md': 'available' },
    warnings: ['config_not_read config.yaml'],
  }),
  configured('S-62 S-40 a FIFO', (tree) => tree.fifo(config), notRead),
  configured('S-62 S-40 a socket', (tree) => tree.socket(config), notRead),
  configured(
    'S-40 FIFOs of every name',
    (tree) => {
      tree.fifo(
        ...['context-config.json', 'config.json', 'config.yaml', 'config.yml'].map((name) => `.context/${name}`),
      );
    },
    {
      excluded: Object.fromEntries(
        ['context-config.json', 'config.json', 'config.yaml', 'config.yml'].map((name) => [name, 'excluded_by_config']),
      ),
      warnings: ['context-config.json', 'config.json', 'config.yaml', 'config.yml'].map((n) => `config_not_read ${n}`),
    },
  ),
  configured(
    'S-37 a link to a good one',
    (tree) => {
      tree.write('elsewhere.json', '{"clientContext":{"excludeFiles":["**"]}}');
      tree.link(config, '../elsewhere.json');
    },
    { warnings: ['config_not_read context-config.json', 'symlink context-config.json'] },
  ),
  configured('S-37 a link to /etc/passwd', (tree) => tree.link(config, '/etc/passwd'), {
    warnings: ['config_not_read context-config.json', 'symlink context-config.json'],
  }),
  configured('S-37 a dangling link', (tree) => tree.link(config, 'nowhere'), {
    warnings: ['config_not_read context-config.json', 'symlink context-config.json'],
  }),
  configured('S-41 a link to /dev/zero', (tree) => tree.link(config, '/dev/zero'), {
    warnings: ['config_not_read context-config.json', 'symlink context-config.json'],
  }),
  configured('S-38 a link to itself', (tree) => tree.link(config, 'context-config.json'), {
    warnings: ['config_not_read context-config.json', 'symlink context-config.json'],
  }),
  configured(
    'CC-08 all four at once, each broken in its way',
    (tree) => {
      tree.write(config, '[');
      tree.write('.context/config.json', 'null');
      tree.write('.context/config.yaml', 'a: *a');
      tree.write('.context/config.yml', 'clientContext: {excludeFiles: [other.md]}');
    },
    {
      excluded: Object.fromEntries(
        ['context-config.json', 'config.json', 'config.yaml', 'config.yml'].map((name) => [name, 'excluded_by_config']),
      ),
      warnings: ['context-config.json', 'config.json', 'config.yaml'].map((name) => `invalid_config ${name}`),
      shown: { excludeFiles: ['context-config.json', 'other.md'] },
    },
  ),
  configured(
    'S-58 a YAML configuration that is an alias bomb',
    (tree) => {
      const levels = [...'bcdefghi'].map((name, i) => `${name}: &${name} [${`*${'abcdefgh'[i]},`.repeat(9)}]`);
      tree.write('.context/config.yaml', ['a: &a [x]', ...levels].join('\n'));
    },
    { excluded: { 'config.yaml': 'excluded_by_config' }, warnings: ['invalid_config config.yaml'] },
  ),
  configured('S-58 250 KB of YAML marks', (tree) => tree.write('.context/config.yaml', '- '.repeat(125_000)), {
    excluded: { 'config.yaml': 'excluded_by_config' },
    warnings: ['invalid_config config.yaml'],
  }),
]);

attackWith('what a repository may decide', attack, [
  text('S-64 it drops everything, and the answer says by which pattern', '{"clientContext":{"excludeFiles":["**"]}}', {
    alone: true,
    request: (tree) => {
      tree.write('.context/x.md', 'text');
      return {};
    },
    excluded: { 'context-config.json': 'excluded_by_config', 'x.md': 'excluded_by_config' },
    shown: { excludeFiles: ['context-config.json', '**'] },
    also: ({ excluded }) => expect(excluded[1]?.reason.detail).toContain('excludeFiles "**" in'),
  }),
]);
