/** Packages of others that a repository keeps, by their paths. They say what many projects say, and there can be more of them. */

const packageFolders = new Set(['vendor', 'third_party', 'third-party', 'thirdparty']);
const asksForPackages = /\b(?:vendor(?:s|ed)?|third[- _]?part(?:y|ies))\b/iu;

/** What a match in a package counts: enough to be found where nothing else fits as well. */
const packageShare = 0.5;

/** By which the score of a file is multiplied; 1 where packages are asked for, or worked on. Paths are relative to the workspace. */
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
