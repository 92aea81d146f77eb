/** A conversion as people see it (FM-15). */
import { expect, it } from 'vitest';
import { renderConversion } from '../../../src/bin/render/conversion.ts';
import { createSheet } from '../../../src/bin/render/page.ts';

const sheet = createSheet({ columns: Number.POSITIVE_INFINITY, colors: false, home: '/home/ada', directory: '/shop' });

it('FM-15 begins with what it says, and names paths as from the project', () => {
  const reason = { code: 'duplicate' as const, detail: 'it has the text of /shop/AGENTS.md, which is used instead' };
  const nothing = { mountedDirectory: '/shop', to: 'cursor', files: [], present: [], lost: [], warnings: [] };
  const lines = renderConversion({ ...nothing, left: [{ path: 'CLAUDE.md', reason }] }, sheet, {
    write: false,
    force: false,
  });
  expect(lines).toEqual([
    'Not converted',
    '· CLAUDE.md: it has the text of AGENTS.md, which is used instead',
    '',
    'Nothing to do: nothing is left to convert.',
  ]);
});
