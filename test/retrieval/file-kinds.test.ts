/** What a match in a file counts, by its path. */
import { describe, expect, it } from 'vitest';
import { shareOfKinds } from '../../src/retrieval/file-kinds.ts';

const query = 'price rounded half even';

describe('kinds of files', () => {
  it.each([
    ['src/ConnectionSpec.kt', 1],
    ['src/latest.ts', 1],
    ['src/Contest.java', 1],
    ['src/news.py', 1],
    ['src/history/releases.ts', 1],
    ['scripts/release', 1],
    ['Makefile', 1],
    ['.eslintrc.js', 1],
    ['src/naïve_größe.py', 1],
    ['src/PriceTest.php', 0.7],
    ['price/price_test.go', 0.7],
    ['price/price.bats', 0.7],
    ['spec/PriceSpec.js', 0.7],
    ['shop/tests.py', 0.7],
    ['src/price/tests.rs', 0.7],
    ['test/price.yaml', 0.7],
    ['api/openapi-spec.yaml', 0.8],
    ['docs/api-spec.md', 0.8],
    ['.github/workflows/unit-test.yml', 0.8],
    ['README', 0.8],
    ['docs/release-process.md', 0.8],
    ['tests/cassettes/test_price/rounded.yaml', 0.5],
    ['spec/vcr_cassettes/price.yml', 0.5],
    ['src/cassettes/player.ts', 1],
    ['proto/price_pb2.py', 0.5],
    ['proto/price_pb2_grpc.py', 0.5],
    ['price/price_gen.go', 0.5],
    ['price/zz_generated.deepcopy.go', 0.5],
    ['src/regen.ts', 1],
    ['docs/RELEASE.md', 0.5],
    ['docs/changelog_4x.md', 0.5],
    ['notes/RELEASE-NOTES-2.5.txt', 0.5],
    ['NEWS', 0.5],
    ['ChangeLog', 0.5],
    ['LICENSE', 0.5],
    ['LICENSE-APACHE', 0.5],
    ['docs/license.rst', 0.5],
    ['COPYING', 0.5],
    ['THIRD-PARTY-LICENSES.txt', 0.5],
    ['THIRD-PARTY-NOTICES.txt', 0.5],
    ['ThirdPartyNotices.txt', 0.5],
    ['third_party_licenses.txt', 0.5],
    ['COPYING.LESSER', 0.5],
    ['LICENSE.MIT', 0.5],
    ['LICENSE-APACHE-2.0', 0.5],
    ['LICENSES/Apache-2.0.txt', 0.5],
    ['docs/license-keys.md', 0.8],
    ['docs/driver-license.md', 0.8],
    ['docs/copying.md', 0.8],
    ['docs/notice.md', 0.8],
    ['src/license.ts', 1],
    ['bin/license', 1],
    ['src/notice.ts', 1],
  ])('RT-02 a match in %s counts %d', (path, share) => {
    expect(shareOfKinds(query)(path)).toBe(share);
  });

  it.each([
    ['src/PriceTest.php', 'why does PriceTest fail'],
    ['tests/test_price.py', 'test_price.py fails'],
    ['spec/price_spec.rb', 'price_spec fails'],
    ['price_test.go', 'price_test.go fails'],
    ['requirements.txt', 'a dependency for prices'],
    ['LICENSE', 'which licenses may we use'],
    ['LICENSE.md', 'which licenses may we use'],
    ['requirements/dev.txt', 'a dependency for prices'],
    ['src/CMakeLists.txt', 'build without prices'],
  ])('RT-02 %s is asked for by “%s”', (path, asked) => {
    expect(shareOfKinds(query)(path)).toBeLessThan(1);
    expect(shareOfKinds(asked)(path)).toBe(1);
  });

  it.each(['the latest price', 'a contest', 'attested prices', 'protest'])('RT-02 “%s” asks for no tests', (asked) => {
    expect(shareOfKinds(asked)('src/price.test.ts')).toBe(0.7);
  });
});

describe('files with the name of the active document', () => {
  it.each([
    ['src/cart.component.ts', 'src/cart.component.spec.ts'],
    ['src/cart.component.ts', 'src/cart.service.ts'],
    ['src/price.cpp', 'include/price.h'],
    ['lib/price.ex', 'test/price_test.exs'],
    ['src/date.py', 'tests/test_due_date.py'],
    ['src/Port.java', 'src/HTTPPortTest.java'],
    ['src/größe.py', 'tests/test_größe.py'],
    ['src/useMouse/index.ts', 'src/useMouse/index.test.ts'],
    ['shop/+page.svelte', 'shop/+page.server.ts'],
  ])('RT-02 with %s open, a match in %s counts more', (document, path) => {
    expect(shareOfKinds(query, document)(path)).toBe(1.25);
  });

  it.each([
    ['src/date.py', 'tests/test_update.py', 0.7],
    ['src/Port.java', 'src/ImportTest.java', 0.7],
    ['README.md', 'lib/README.md', 0.8],
    ['shop/tests.py', 'cart/tests.py', 0.7],
    ['shop/+page.svelte', 'cart/+page.svelte', 1],
    ['src/useMouse/index.ts', 'src/useTouch/index.test.ts', 0.7],
    ['.eslintrc.js', '.github/ci', 0.8],
    // Copies say the same as the document.
    ['src/price.ts', 'dist/price.js', 0.5],
    ['src/price.ts', 'vendor/shop/price.js', 0.5],
    ['lib/price.dart', 'lib/price.g.dart', 0.5],
    ['res/values/strings.xml', 'res/values-de/strings.xml', 0.5],
  ])('RT-02 with %s open, a match in %s counts %d', (document, path, share) => {
    expect(shareOfKinds(query, document)(path)).toBe(share);
  });
});
