/** Tests and what they are made of, by their paths. They say the words of what they test, and more often than that does. */

const testFile =
  /(?:^|\/)(?:__tests__|__mocks__|__fixtures__|tests?|testdata|specs?|e2e|fixtures?)\/|[._-](?:tests?|spec|e2e)\.\w+$|(?:^|\/)test_[^/]+$/iu;
const asksForTests = /\b(?:tests?|tested|testing|specs?|fixtures?|mocks?)\b/iu;

/** What a match in a test counts: enough to be found where nothing else fits as well. */
const testShare = 0.7;

/** By which the score of a file is multiplied; 1 where the query is about tests. `name` is relative to the workspace. */
export function shareOfTests(query: string): (name: string) => number {
  const share = asksForTests.test(query) ? 1 : testShare;
  return (name) => (testFile.test(name) ? share : 1);
}
