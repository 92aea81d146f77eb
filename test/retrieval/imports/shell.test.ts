import { describe, expect, it } from 'vitest';
import { languageOf } from '../../../src/retrieval/imports/languages.ts';
import { importsOf, parse } from './support/tree.ts';

const specifiersIn = async (text: string): Promise<string[]> =>
  (await parse('shell', text)).imports.map(({ specifier, form }) => `${form} ${specifier}`);

describe('Shell scripts', () => {
  it('RT-02 literal paths, from the script or from a directory above it', async () => {
    const tree = {
      'scripts/build.sh':
        'source ./beside.sh\n. lib/top.sh\nsource lib/near\n. "lib/my log.sh"\n[ -f .env ] && . .env\n. ./gone.sh\n. gone.sh\n. /etc/os-release\nsource ~/.bashrc\nbuild $A\n',
      'scripts/beside.sh': '',
      'lib/top.sh': '',
      'scripts/lib/near': '',
      'lib/near': '',
      'lib/my log.sh': '',
      '.env': '',
    };
    expect(await importsOf('scripts/build.sh', tree)).toEqual({
      './beside.sh': ['scripts/beside.sh#source,build,A'],
      'lib/top.sh': ['lib/top.sh#source,build,A'],
      'lib/near': ['scripts/lib/near#source,build,A'],
      'lib/my log.sh': ['lib/my log.sh#source,build,A'],
      '.env': ['.env#source,build,A'],
      './gone.sh': 'not_found',
      'gone.sh': 'outside_workspace',
      '/etc/os-release': 'outside_workspace',
      '~/.bashrc': 'outside_workspace',
    });
  });

  it('RT-02 paths from the script’s own place, and variables that hold them', async () => {
    const text = `DIR="$(cd "$(dirname "\${BASH_SOURCE[0]}")" >/dev/null 2>&1 && pwd -P)"
ROOT=$(dirname "$0")/../..
SOURCE="\${BASH_SOURCE[0]}"
while [ -h "$SOURCE" ]; do SOURCE="$(readlink "$SOURCE")"; done
HERE=\${0%/*}
LIB="\${LIB:-$DIR/lib}"
source "$(dirname "$0")/a.sh"
source "\${BASH_SOURCE%/*}/b.sh"
. $(dirname -- "$(readlink -f "$0")")/c.sh
source "$DIR/d.sh"
source -- "\${ROOT}/e.sh"
source "$(dirname "$SOURCE")"/f.sh
source "$(dirname "$DIR")/g.sh"
. "$HERE/h.sh"
. '$HERE/i.sh'
. "$LIB"/j.sh
. "\${BATS_TEST_DIRNAME}/k.sh"
\\. ../l.sh
`;
    expect(await specifiersIn(text)).toEqual(
      `./a.sh ./b.sh ./c.sh ./d.sh ../../e.sh ./f.sh ../g.sh ./h.sh $HERE/i.sh ./lib/j.sh ./k.sh ../l.sh`
        .split(' ')
        .map((path) => `source ${path}`),
    );
  });

  it('RT-02 behind a variable that is not known, or is where something is installed: the rest, from the script upwards', async () => {
    const tree = {
      'hack/lib/init.sh':
        'PREFIX=/usr/lib/tool\nNVM="$HOME/.nvm"\n. "$ROOT/hack/lib/util.sh"\n. "$PREFIX/log.sh"\n. "$NVM/nvm.sh"\n. "$(git rev-parse --show-toplevel)/ci/env.sh"\n. "$ROOT/lib/gone.sh"\n. "$1"\n. "$ROOT/$1.sh"\n. <(tool completion bash)\n',
      'hack/lib/util.sh': '',
      'hack/log.sh': '',
      'nvm.sh': '',
      'ci/env.sh': '',
    };
    expect(await importsOf('hack/lib/init.sh', tree)).toEqual({
      '$ROOT/hack/lib/util.sh': ['hack/lib/util.sh#ROOT,git,tool'],
      '$PREFIX/log.sh': ['hack/log.sh#ROOT,git,tool'],
      '$NVM/nvm.sh': ['nvm.sh#ROOT,git,tool'],
      '$/ci/env.sh': ['ci/env.sh#ROOT,git,tool'],
      '$ROOT/lib/gone.sh': 'outside_workspace',
      $1: 'unsupported',
      '$ROOT/$1.sh': 'unsupported',
    });
  });

  it('RT-02 loops over words, and over names in a directory: what defines something that is used', async () => {
    const tree = {
      'main.sh':
        'for each in log cart; do source "lib/$each.sh"; done\nfor file in "$(dirname "$0")"/plugins/*.sh; do\n  . "$file"\ndone\n. ./plugins/*o*.sh\nadd_line "$CART_LIMIT" && remove\n',
      'lib/log.sh': '',
      'lib/cart.sh': '',
      'plugins/add.sh': 'CART_LIMIT=1\nadd_line() { :; }\n',
      'plugins/remove.sh': 'function remove {\n  :\n}\n',
      'plugins/other.sh': 'other() (\n)\n',
      'plugins/remove.txt': 'remove() { :; }\n',
      'plugins/no': 'remove() { :; }\n',
    };
    expect(await importsOf('main.sh', tree)).toMatchObject({
      'lib/log.sh': [expect.stringMatching(/^lib\/log\.sh#/u)],
      'lib/cart.sh': [expect.stringMatching(/^lib\/cart\.sh#/u)],
      './plugins/*.sh': ['plugins/add.sh#add_line,CART_LIMIT', 'plugins/remove.sh#remove'],
      './plugins/*o*.sh': [],
    });
  });

  it('RT-02 what ShellCheck is told comes before what the script says', async () => {
    const text =
      '# shellcheck source=lib/a.sh\n. "$1"\nif x; then\n  # shellcheck disable=SC1 source="./my lib/b.sh"\n  source "$2"\nfi\n# shellcheck source=/dev/null\n. ./c.sh\n# source=d.sh\n. ./e.sh\n';
    expect(await specifiersIn(text)).toEqual([
      ...['source lib/a.sh', 'source ./my lib/b.sh', 'source ./c.sh', 'source ./e.sh'],
    ]);
  });

  it('RT-02 helpers of bats, and scripts that are run, if they are there', async () => {
    const tree = {
      'test/cart.bats':
        'load test_helper\nload ../lib/assert\n\n@test "adds {" {\n  run add_line 1\n  "$ROOT/bin/reset.sh" --all\n  bash -e ../tools/seed.sh\n  ./gone.sh\n  ./tool\n  assert_equal 1 1\n}\n',
      'test/test_helper.bash': '',
      'lib/assert.bash': '',
      'bin/reset.sh': '',
      'tools/seed.sh': '',
      'test/tool': '',
    };
    const names = 'load,test_helper,run,add_line,ROOT,bash,assert_equal';
    expect(await importsOf('test/cart.bats', tree)).toEqual({
      test_helper: [`test/test_helper.bash#${names}`],
      '../lib/assert': [`lib/assert.bash#${names}`],
      '$ROOT/bin/reset.sh': ['bin/reset.sh'],
      '../tools/seed.sh': ['tools/seed.sh'],
      './gone.sh': [],
    });
    expect((await parse('shell', tree['test/cart.bats'])).definitions).toEqual([]);
  });

  it('RT-02 names are commands and variables that the script does not define itself', async () => {
    const { imports } = await parse(
      'shell',
      '. ./a.sh\nf() { local x=$1; kube::log::info "$x" "$LEVEL"; }\nretry 3 push_image\nY=1 && echo $Y $PATH\nfor z in 1; do echo $z; done\ntrap cleanup EXIT\n((COUNT + 1))\n',
    );
    expect(imports[0]?.names).toEqual('kube::log::info LEVEL retry push_image echo trap cleanup COUNT'.split(' '));
  });

  it('RT-02 functions, a long one with how it begins, and variables outside of functions', async () => {
    const body = '  work\n'.repeat(25);
    const { definitions } = await parse(
      'shell',
      `# Builds.\nbuild() {\n  # What.\n  local what="$1"\n\n  # Then.\n${body}}\nfunction a::b { inner=1; }\nexport A=1 B=2\nreadonly C=3\ndeclare -A MAP\nX=1 make\nif t; then D=4; fi\n`,
    );
    expect(definitions.map(({ name }) => name)).toEqual(['build', 'a::b', 'A', 'B', 'C', 'MAP', 'D']);
    expect(definitions[0]?.text).toBe(
      '# Builds.\nbuild() {\n  # What.\n  local what="$1"\n\n  # Then.\n  work\n  work\n  work\n  work',
    );
  });

  it.each([
    ['bin/deploy', undefined, '#!/usr/bin/env bash\n'],
    ['bin/deploy', undefined, '#! /bin/sh -e\r\n'],
    ['bin/deploy', undefined, '#!/usr/bin/env -S bash -x\n'],
    ['bin/deploy', 'shellscript', ''],
    ['.envrc', 'ShellScript', ''],
    ['a.bats', undefined, ''],
  ])('RT-02 a script by its extension, its editor or its first line: %s %s %j', (path, named, text) => {
    expect(languageOf(path, named, text)).toBe('shell');
  });

  it.each([
    ['bin/deploy', '#!/usr/bin/env python3\n'],
    ['bin/deploy', 'bash\n'],
    ['bin/deploy', '#!\n/bin/sh'],
    ['notes.txt', '#!/bin/sh\n'],
  ])('RT-02 no script: %s %j', (path, text) => {
    expect(languageOf(path, undefined, text)).toBeUndefined();
  });
});
