/**
 * Recognises copies of other packages in a repository, by their paths. They use the same words as many projects, and
 * can have more files.
 */

const packageFolders = new Set(['vendor', 'third_party', 'third-party', 'thirdparty']);
const asksForPackages = /\b(?:vendor(?:s|ed)?|third[- _]?part(?:y|ies))\b/iu;

/** The share of a match in a package. Enough to be found if nothing else fits as well. */
const packageShare = 0.5;

/**
 * Returns a factor for the score of a file. It is 1 if the query asks for packages, or if the active document is in
 * one. Paths are relative to the workspace.
 */
export function shareOfPackages(query: string, near: string): (name: string) => number {
  const share = asksForPackages.test(query) || isOfPackage(`${near}/x`) ? 1 : packageShare;
  return (name) => (isOfPackage(name) ? share : 1);
}

function isOfPackage(name: string): boolean {
  return name
    .toLowerCase()
    .split('/')
    .slice(0, -1)
    .some((folder) => packageFolders.has(folder));
}
