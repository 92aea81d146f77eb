/** What is installed is what was looked at (S-85). Whether an advisory names one of them only `npm audit` can say, online. */
import { describe, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import packageLock from '../package-lock.json' with { type: 'json' };

type Locked = {
  version: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  license?: string;
  dev?: boolean;
  optional?: boolean;
  /** Optional for what runs, needed only for development. */
  devOptional?: boolean;
  hasInstallScript?: boolean;
};
const packages = Object.entries(packageLock.packages as unknown as Record<string, Locked>)
  .filter(([path]) => path !== '')
  .map(([path, locked]) => ({
    ...locked,
    name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
  }));
const atRun = packages.filter(({ dev }) => dev !== true);

const licenses = new Set([
  ...[
    'MIT',
    'ISC',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'BlueOak-1.0.0',
    '0BSD',
    '(MIT OR CC0-1.0)',
    'Unlicense',
  ],
]);

describe('packages', () => {
  it('S-85 run nothing when they are installed, but for those that were decided about', () => {
    const withScript = packages.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
    const decided: Record<string, boolean> = packageJson.allowScripts;
    expect(withScript.filter((name) => !(name in decided))).toEqual([]);
    // It fetches the Node.js that the tests run on; nothing of the daemon needs it.
    expect(Object.keys(decided).filter((name) => decided[name])).toEqual(['node']);
    expect(atRun.map(({ name }) => name)).not.toContain('node');
    // The lock file tells.
    expect(withScript).toContain('onnxruntime-node');
  });

  it('S-85 are exactly those that were locked, from whatever registry the user has set up', () => {
    const unpinned = packages.filter(({ integrity = '', version }) => !/^sha512-.{88}$/u.test(integrity) || !version);
    expect(unpinned).toEqual([]);
    expect(packages.filter(({ resolved, link }) => resolved !== undefined || link)).toEqual([]);
  });

  it('S-85 that are needed to run have licenses that ask for no more than to be named', () => {
    const others = atRun.filter(({ license = 'none' }) => !licenses.has(license));
    // The library for images that comes with the one for models; it is linked when it is loaded, and never is.
    expect(
      others.filter(({ name, license }) => !(name.startsWith('@img/sharp-') && license?.includes('LGPL'))),
    ).toEqual([]);
  });

  it('S-85 that are needed to run do not become more unnoticed', () => {
    expect(Object.keys(packageJson.dependencies).length).toBeLessThanOrEqual(29);
    // Those that are optional are built for one platform each.
    expect(atRun.filter(({ optional, devOptional }) => !optional && !devOptional).length).toBeLessThanOrEqual(174);
    expect(atRun.length).toBeLessThanOrEqual(222);
  });
});
