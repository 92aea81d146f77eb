/** The rows that show the effect of another choice of formats: files grouped by what would happen to them. */
import type { FormatsChange } from '../../../context/formats-request.ts';

type ChangedFile = FormatsChange['files'][number];

export type ChangeRow =
  | { kind: 'group'; key: string; title: string; files: number; tokens: number }
  | { kind: 'file'; key: string; file: ChangedFile };

const titles = [
  'Would no longer apply',
  'Would apply',
  'Would wait',
  'Would no longer wait',
  'Would be left out',
  'Would no longer be listed',
] as const;

function titleOf({ before, after }: ChangedFile): (typeof titles)[number] {
  if (after?.state === 'active') return 'Would apply';
  if (before?.state === 'active') return 'Would no longer apply';
  if (after?.state === 'available') return 'Would wait';
  if (before?.state === 'available') return 'Would no longer wait';
  return after === undefined ? 'Would no longer be listed' : 'Would be left out';
}

/** The groups that cost or save tokens come first. */
export function changeRows({ files }: FormatsChange): ChangeRow[] {
  const byTitle = Map.groupBy(files, titleOf);
  return titles.flatMap((title): ChangeRow[] => {
    const own = byTitle.get(title);
    if (own === undefined) return [];
    const isCounted = title === 'Would apply' || title === 'Would no longer apply';
    const tokens = isCounted ? own.reduce((sum, each) => sum + (each.tokens ?? 0), 0) : 0;
    return [
      { kind: 'group', key: title, title, files: own.length, tokens },
      ...own.map((file): ChangeRow => ({ kind: 'file', key: file.path, file })),
    ];
  });
}
