/** Recognises tests and their data, by their paths. They use the words of what they test, and more often. */

const testFolders = new Set(
  '__tests__ __mocks__ __fixtures__ test tests testdata spec specs e2e fixture fixtures'.split(' '),
);
const testEndings = new Set(['test', 'tests', 'spec', 'e2e']);
const asksForTests = /\b(?:tests?|tested|testing|specs?|fixtures?|mocks?)\b/iu;

/** The share of a match in a test. Enough to be found if nothing else fits as well. */
const testShare = 0.7;

/**
 * Returns a factor for the score of a file. It is 1 if the query asks for tests. `name` is relative to the workspace.
 */
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
