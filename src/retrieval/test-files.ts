/** Tests and what they are made of, by their paths. They say the words of what they test, and more often than that does. */

const testFolders = new Set(
  '__tests__ __mocks__ __fixtures__ test tests testdata spec specs e2e fixture fixtures'.split(' '),
);
const testEndings = new Set(['test', 'tests', 'spec', 'e2e']);
const asksForTests = /\b(?:tests?|tested|testing|specs?|fixtures?|mocks?)\b/iu;

/** What a match in a test counts: enough to be found where nothing else fits as well. */
const testShare = 0.7;

/** By which the score of a file is multiplied; 1 where the query is about tests. `name` is relative to the workspace. */
export function shareOfTests(query: string): (name: string) => number {
  const share = asksForTests.test(query) ? 1 : testShare;
  return (name) => (isTest(name) ? share : 1);
}

function isTest(name: string): boolean {
  const folders = name.toLowerCase().split('/');
  const file = folders.pop() ?? '';
  const [ending = '', before] = file.split(/[._-]/u).toReversed().slice(1);
  const hasEnding = before !== undefined && testEndings.has(ending);
  return folders.some((folder) => testFolders.has(folder)) || file.startsWith('test_') || hasEnding;
}
