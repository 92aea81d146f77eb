/**
 * No text of others can make a regular expression backtrack (S-52): each one in the program is proven linear by recheck, or
 * what it reads is bounded. `regular-expressions.json` keeps what was proven, since proving takes minutes.
 */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import proven from './regular-expressions.json' with { type: 'json' };
import { processorMs } from './support/expect-quick.ts';
import { expressionsIn, findExpressions, repeats } from './support/regular-expressions.ts';
import { isTorture } from './support/test-size.ts';

type Bounded = {
  file: string;
  pattern: string;
  flags: string;
  /** Why what it reads is no longer than `worst`. */
  reason: string;
  /** What takes it longest. */
  worst: string;
};

const bounded: Bounded[] = [
  {
    file: 'src/retrieval/imports/cpp/cpp-project.ts',
    pattern: String.raw`\$<BUILD_INTERFACE:([^<>]{0,200})>`,
    flags: 'gu',
    reason: 'One list of CMake, cut at 20,000 characters.',
    worst: '$<BUILD_INTERFACE:'.repeat(1_112),
  },
  {
    file: 'src/retrieval/imports/python/python-project.ts',
    pattern: String.raw`^[ \t]*(?:packages\.find\.)?(?:where|pythonpath|extraPaths|mypy_path|sources)[ \t]*=[ \t]*\[`,
    flags: 'gmu',
    reason: 'Linear, which takes recheck minutes to prove. A configuration holds at most 256 KiB.',
    worst: `${' '.repeat(131_000)}where${' '.repeat(131_000)}`,
  },
  ...[String.raw`(\\*)"`, String.raw`\\+$`].map((pattern, index) => ({
    file: 'src/bin/daemon/service-files.ts',
    pattern,
    flags: index === 0 ? 'gu' : 'u',
    reason: 'The path of the program or its state, which the user chose and the system holds to 4,096 bytes.',
    worst: `${'\\'.repeat(4_095)}x`,
  })),
  {
    file: 'src/settings.ts',
    pattern: String.raw`\/+$`,
    flags: 'u',
    reason: 'A setting of the user, or a field of a request that holds at most 1,024 characters.',
    worst: `${'/'.repeat(4_095)}x`,
  },
  ...[
    { file: 'src/console/shell/directory-picker.tsx', pattern: String.raw`(?<=.)\/+$` },
    { file: 'src/console/views/policy/new-policy.tsx', pattern: String.raw`(?<=.)\/+$` },
    { file: 'src/console/views/supplementary/add-field.tsx', pattern: String.raw`(?<=.)\/+$` },
    { file: 'src/console/views/supplementary/add-field.tsx', pattern: String.raw`\/+$` },
  ].map((each) => ({
    ...each,
    flags: 'u',
    reason: 'What the user types into a field.',
    worst: `x${'/'.repeat(4_094)}x`,
  })),
  {
    file: 'src/console/views/policy/completions.ts',
    pattern: String.raw`^\/+|\/+$`,
    flags: 'gu',
    reason: 'A part of a line of 1,000 characters at most.',
    worst: `x${'/'.repeat(998)}x`,
  },
  {
    file: 'src/console/views/policy/completions.ts',
    pattern: String.raw`^exclude\s*:\s*\[(?:[^\]]*,)?\s*(["']?)([^"',\]]*)$`,
    flags: 'u',
    reason: 'A line of 1,000 characters at most.',
    worst: `exclude:[${','.repeat(480)}${' '.repeat(500)}]`,
  },
  {
    file: 'src/console/views/policy/completions.ts',
    pattern: String.raw`^\s*-\s+(["']?)([^"']*)$`,
    flags: 'u',
    reason: 'A line of 1,000 characters at most.',
    worst: `-${' '.repeat(998)}"`,
  },
  {
    file: 'src/console/api/sign-in.ts',
    pattern: '(?:^|#code=|&code=)([A-Za-z0-9_-]{20,})(?:&.*)?$',
    flags: 'u',
    reason: 'Of what the user pastes, 2,000 characters.',
    worst: `${'&code=aaaaaaaaaaaaaaaaaaaa'.repeat(76)}\n`,
  },
];

/** Expressions that are put together of texts of the program, none of which comes from outside. */
const made = [
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: source text
  ['src/context/front-matter-key-forms.ts', "new RegExp(`^(?:${words.join('|')})$`, 'u')"],
  // Terms of a query, which are letters and digits: alternatives without repetition.
  ['src/retrieval/keyword-probes.ts', "new RegExp(byLength.join('|'), isPlain ? 'gi' : 'giu')"],
  ['src/console/views/policy/completions.ts', "new RegExp(`^${label}\\\\s*:`, 'mu')"],
  ['routes/events.ts', "new RegExp(`^(?:${typeNames})(?:,(?:${typeNames}))*$`, 'u')"],
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: source text
];

const all = findExpressions(['src', 'routes']);
const placeOf = ({ file, pattern, flags }: { file: string; pattern: string; flags: string }): string =>
  `${file} /${pattern}/${flags}`;
const boundedPlaces = new Set(bounded.map(placeOf));
const toProve = all.filter((each) => !each.made && repeats(each.pattern) && !boundedPlaces.has(placeOf(each)));
const wanted = [...new Set(toProve.map(({ pattern, flags }) => `/${pattern}/${flags}`))].sort();

type Diagnosis = { status: string; complexity?: { summary: string } };
async function diagnose(expression: string): Promise<string> {
  // Neither of the programs that it otherwise looks for: JavaScript alone.
  process.env.RECHECK_BACKEND = 'pure';
  const { checkSync } = await import('recheck');
  const end = expression.lastIndexOf('/');
  const options = { timeout: 60_000, checker: 'auto', randomSeed: 1 } as const;
  const found = checkSync(expression.slice(1, end), expression.slice(end + 1), options) as Diagnosis;
  return found.status === 'safe'
    ? (found.complexity?.summary ?? 'safe')
    : `${found.status} ${found.complexity?.summary}`;
}
const isLinear = (diagnosis: string): boolean => /^(?:safe|linear|constant)/u.test(diagnosis);

/** Runs of what an expression names, and of what separates it. */
function runsFor(pattern: string, length: number): string[] {
  const named = [...new Set(pattern.replaceAll(/\\./gu, ''))].filter((each) =>
    /[\w"'#/<>=:,;@$`~&|!(){}[\]-]/u.test(each),
  );
  const units = [
    ...named.slice(0, 40),
    ' ',
    '\n',
    '\r',
    '\t',
    '\\',
    'a',
    '0',
    '\u2028',
    'é',
    '漢',
    ...(pattern.match(/\w{3,}/gu) ?? []),
  ];
  return units.flatMap((unit) => ['', '\0'].map((end) => unit.repeat(Math.floor(length / unit.length)) + end));
}
function useUp(pattern: string, flags: string, text: string): void {
  const expression = new RegExp(pattern, flags.includes('g') ? flags : `${flags}g`);
  for (const _ of text.matchAll(expression));
}

describe('regular expressions', () => {
  it('are all found', () => {
    const text = 'const a = /b+/u; new RegExp(c); RegExp(`d`); const e = 4 / 2 / 1; // /f/';
    expect(expressionsIn('a.ts', text).map(({ pattern }) => pattern)).toEqual(['b+', 'new RegExp(c)', 'RegExp(`d`)']);
    expect(all.length).toBeGreaterThan(350);
    expect(['a{2}', 'a+', 'a*', 'a{2,}'].every(repeats)).toBe(true);
    expect([String.raw`\*`, '[+*]', String.raw`\p{L}`, String.raw`\u{10}`, 'a?b'].some(repeats)).toBe(false);
  });

  it('S-52 are written in the program, never by others', () => {
    expect(all.filter((each) => each.made).map(({ file, pattern }) => [file, pattern])).toEqual(made);
  });

  it('S-52 are proven linear, or what they read is bounded', async () => {
    const known = new Set<string>(proven);
    const unknown: string[] = [];
    for (const expression of wanted.filter((each) => isTorture || !known.has(each)))
      unknown.push(
        ...[await diagnose(expression)]
          .filter((each) => !isLinear(each) || !known.has(expression))
          .map((each) => `${expression} ${each}`),
      );
    if (process.env.CONTEXTD_WRITE_PROVEN) {
      const kept = wanted.filter(
        (each) =>
          known.has(each) || unknown.some((one) => isLinear(one.slice(each.length + 1)) && one.startsWith(`${each} `)),
      );
      writeFileSync(new URL('./regular-expressions.json', import.meta.url), `${JSON.stringify(kept, null, 2)}\n`);
    }
    // A new one that is linear goes to the list, by CONTEXTD_WRITE_PROVEN=1.
    expect(unknown).toEqual([]);
    expect((proven as string[]).filter((each) => !wanted.includes(each))).toEqual([]);
  }, 900_000);

  it('S-52 the check finds what is quadratic only because a search begins everywhere', async () => {
    for (const expression of [String.raw`/\s+$/u`, String.raw`/(?<!\\) +$/u`, String.raw`/\/+$/u`, '/(a+)+$/u'])
      expect(isLinear(await diagnose(expression)), expression).toBe(false);
  }, 60_000);

  it.each(bounded.map((each) => [placeOf(each), each] as const))('S-52 %s is quick at its bound', (place, each) => {
    expect(all.map(placeOf)).toContain(place);
    useUp(each.pattern, each.flags, each.worst);
    const ms = Math.min(...[1, 2, 3].map(() => processorMs(() => useUp(each.pattern, each.flags, each.worst))));
    // A busy machine takes several times as long.
    expect(ms).toBeLessThan(250);
  });

  it('S-52 take time in proportion to a run of anything that they name', () => {
    const slow: string[] = [];
    for (const { file, pattern, flags } of toProve) {
      const isSlow = (text: string): boolean => processorMs(() => useUp(pattern, flags, text)) > 50;
      // Another measure tells a slow expression from a busy machine.
      for (const text of runsFor(pattern, 32_768))
        if (isSlow(text) && isSlow(text) && isSlow(text))
          slow.push(`${file} /${pattern}/${flags} ${JSON.stringify(text.slice(0, 10))}`);
    }
    expect(slow).toEqual([]);
  }, 120_000);
});
