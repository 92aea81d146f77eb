/** What documents of agents may cost. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const module = new URL('../../src/agent/agent-document.ts', import.meta.url).href;
const script = `
  const { parseAgentDocument } = await import(${JSON.stringify(module)});
  const content = '{"id":"a","rules":[' + Array(340_000).fill('{}').join() + ']}';
  try { parseAgentDocument({ content, format: 'json' }); } catch ({ code }) { console.log(code); }
`;

it('S-66 a document of a megabyte of empty objects is refused with 80 MB of memory', () => {
  const options = ['--max-old-space-size=80', '--input-type=module', '--eval', script];
  expect(execFileSync(process.execPath, options, { encoding: 'utf8' }).trim()).toBe('invalid_request');
});
