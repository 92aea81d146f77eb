/** The SARIF 2.1.0 log (AP-08): the properties that the standard requires, and what code hosts need of it. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sarifLog } from '../../../src/bin/render/sarif.ts';
import type { Diagnostic } from '../../../src/validation/diagnostic.ts';
import { rules } from '../../../src/validation/findings.ts';

const level = z.enum(['none', 'note', 'warning', 'error']);
const message = z.strictObject({ text: z.string().min(1) });
/** SARIF 2.1.0, sections 3.13 (log), 3.14 (run), 3.19 (driver), 3.20 (invocation), 3.27 (result), 3.49 (rule), as far as they are used. */
const Log = z.strictObject({
  $schema: z.url(),
  version: z.literal('2.1.0'),
  runs: z.tuple([
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string().min(1),
          semanticVersion: z.string(),
          rules: z.array(
            z.strictObject({
              id: z.string().min(1),
              shortDescription: message,
              help: message.optional(),
              defaultConfiguration: z.strictObject({ level }),
            }),
          ),
        }),
      }),
      columnKind: z.enum(['utf16CodeUnits', 'unicodeCodePoints']),
      originalUriBaseIds: z.record(z.string(), z.strictObject({ description: message })),
      invocations: z.tuple([
        z.strictObject({
          executionSuccessful: z.boolean(),
          toolExecutionNotifications: z.array(
            z.strictObject({ descriptor: z.strictObject({ id: z.string() }), level, message }),
          ),
        }),
      ]),
      results: z.array(
        z.strictObject({
          ruleId: z.string(),
          ruleIndex: z.int().min(0),
          level,
          message,
          locations: z.tuple([
            z.strictObject({
              physicalLocation: z.strictObject({
                artifactLocation: z.strictObject({ uri: z.string().min(1), uriBaseId: z.string().optional() }),
                region: z.strictObject({ startLine: z.int().min(1), startColumn: z.int().min(1) }).optional(),
              }),
              logicalLocations: z.array(z.strictObject({ fullyQualifiedName: z.string() })).optional(),
            }),
          ]),
          relatedLocations: z
            .array(
              z.strictObject({
                physicalLocation: z.strictObject({
                  artifactLocation: z.strictObject({ uri: z.string().min(1), uriBaseId: z.string() }),
                  region: z.strictObject({ startLine: z.literal(1), startColumn: z.literal(1) }),
                }),
                message,
              }),
            )
            .min(1)
            .optional(),
        }),
      ),
    }),
  ]),
});

const directory = '/home/me/shop';
const finding = (over: Partial<Diagnostic>): Diagnostic => ({
  severity: 'error',
  code: 'invalid_config',
  message: 'It is broken.',
  path: `${directory}/.context/context-config.json`,
  line: 3,
  column: 7,
  ...over,
});
const runOf = (diagnostics: Diagnostic[]) => Log.parse(sarifLog(diagnostics, { directory, version: '1.2.3' })).runs[0];
const addressOf = (path: string) =>
  runOf([finding({ path })]).results[0]?.locations[0].physicalLocation.artifactLocation;

describe('sarifLog', () => {
  it('AP-08 consequences are related locations of the one result that causes them', () => {
    const blocked = { code: 'blocked_by_policy' as const, message: 'It is blocked.', line: 1, column: 1 };
    const consequences = ['a', 'b'].map((name) => ({ ...blocked, path: `${directory}/.context/${name}.md` }));
    const { results, tool } = runOf([finding({ consequences })]);
    expect(results.map(({ relatedLocations }) => relatedLocations)).toEqual([
      ['a', 'b'].map((name) => ({
        physicalLocation: {
          artifactLocation: { uri: `.context/${name}.md`, uriBaseId: 'CHECKED' },
          region: { startLine: 1, startColumn: 1 },
        },
        message: { text: 'It is blocked.' },
      })),
    ]);
    expect(tool.driver.rules.map(({ id }) => id)).toEqual(['invalid_config']);
  });

  it('AP-08 is a log with one run also when nothing was found', () => {
    const run = runOf([]);
    expect(run.tool.driver).toEqual({ name: 'contextd', semanticVersion: '1.2.3', rules: [] });
    expect(run.results).toEqual([]);
    expect(run.invocations[0].executionSuccessful).toBe(true);
  });

  it('AP-08 holds each finding with its rule, level, place and pointer', () => {
    const run = runOf([
      finding({ pointer: '/clientContext' }),
      finding({ severity: 'warning', code: 'empty_body', line: undefined, column: undefined }),
      finding({ message: 'Another.' }),
    ]);
    expect(run.tool.driver.rules.map(({ id, defaultConfiguration }) => [id, defaultConfiguration.level])).toEqual([
      ['empty_body', 'warning'],
      ['invalid_config', 'error'],
    ]);
    expect(run.results.map(({ ruleId, ruleIndex, level: shown }) => [ruleId, ruleIndex, shown])).toEqual([
      ['invalid_config', 1, 'error'],
      ['empty_body', 0, 'warning'],
      ['invalid_config', 1, 'error'],
    ]);
    for (const { ruleId, ruleIndex } of run.results) expect(run.tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    const [first, second] = run.results.map(({ locations }) => locations[0]);
    expect(first?.physicalLocation.region).toEqual({ startLine: 3, startColumn: 7 });
    expect(first?.logicalLocations).toEqual([{ fullyQualifiedName: '/clientContext' }]);
    expect(second?.physicalLocation.region).toBeUndefined();
    expect(run.columnKind).toBe('utf16CodeUnits');
  });

  it('AP-08 describes every rule', () => {
    const run = runOf((Object.keys(rules) as (keyof typeof rules)[]).map((code) => finding({ code })));
    expect(run.tool.driver.rules).toHaveLength(Object.keys(rules).length);
    for (const { shortDescription } of run.tool.driver.rules) expect(shortDescription.text).toMatch(/^[A-Z].*[^.]\.$/u);
  });

  it('AP-08 addresses are relative to the checked directory, and percent-encoded', () => {
    expect(addressOf(`${directory}/.context/a.md`)).toEqual({ uri: '.context/a.md', uriBaseId: 'CHECKED' });
    expect(Object.keys(runOf([]).originalUriBaseIds)).toEqual(['CHECKED']);
    const odd = 'a b/ü%#?:\n\u202e\\.md';
    const { uri = '' } = addressOf(`${directory}/${odd}`) ?? {};
    expect(uri).toMatch(/^[\w.%/-]+$/u);
    expect(decodeURIComponent(uri)).toBe(odd);
    expect(addressOf(`${directory}/\ud800.md`)?.uri).toBe('%EF%BF%BD.md');
    expect(addressOf(directory)).toEqual({ uri: './', uriBaseId: 'CHECKED' });
    expect(addressOf('/elsewhere/a b.md')).toEqual({ uri: 'file:///elsewhere/a%20b.md' });
  });

  it('AP-08 CC-06 what is about no file is a notification', () => {
    const run = runOf([
      finding({ severity: 'warning', code: 'limit_entries', path: undefined, line: undefined, column: undefined }),
    ]);
    expect(run.results).toEqual([]);
    expect(run.invocations[0].toolExecutionNotifications).toEqual([
      { descriptor: { id: 'limit_entries' }, level: 'warning', message: { text: 'It is broken.' } },
    ]);
  });
});
