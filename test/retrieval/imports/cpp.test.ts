// biome-ignore-all lint/suspicious/noTemplateCurlyInString: CMake writes variables so.
import { describe, expect, it } from 'vitest';
import { importsOf, root } from './support/tree.ts';

describe('C and C++ includes', () => {
  it('RT-02 beside the file, then where headers usually lie; only what the header mentions is taken', async () => {
    const tree = {
      'src/main.c':
        '#include "near.h"\n#include "lib/far.h"\n#include <lib/far.h>\n#include <stdio.h>\n#include "gone.h"\n#include "other/gone.h"\n#include HEADER\n#include "../src/near.h"\nint main(void) { return near_by(FAR_AWAY); }\n',
      'src/near.h': '/* FAR_AWAY is elsewhere */\nint near_by(int);\n',
      'include/lib/far.h': '#define FAR_AWAY 1\n',
    };
    expect(await importsOf('src/main.c', tree)).toEqual({
      'near.h': ['src/near.h#near_by'],
      'lib/far.h': ['include/lib/far.h#FAR_AWAY'],
      'lib/far.h{HEADER,near_by,FAR_AWAY}': ['include/lib/far.h#FAR_AWAY'],
      'stdio.h': 'outside_workspace',
      'gone.h': 'not_found',
      'other/gone.h': 'outside_workspace',
      '../src/near.h': ['src/near.h#near_by'],
    });
  });

  it.each([
    ['CMakeLists.txt', 'target_include_directories(app PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/odd/headers)\n'],
    ['Makefile', 'CFLAGS += -O2 -I./odd/headers -I$(OTHER)\n'],
    ['platformio.ini', '[env]\nbuild_flags = -Wall\n\t-Isrc -Iodd/headers -DFAST\n'],
    ['CMakeLists.txt', 'include_directories("odd/headers" ${BOOST})\n'],
    ['meson.build', "inc = include_directories('src', 'odd/headers')\n"],
    ['odd/meson.build', "inc = include_directories(\n  'headers',\n)\n", 'odd/a.cc'],
    [
      'BUILD.bazel',
      'cc_library(\n    name = "x",\n    includes = [\n        "odd/headers",\n        ".",\n    ],\n)\n',
    ],
    ['odd/BUILD', 'cc_library(name = "x", strip_include_prefix = "headers")\n', 'odd/src/a.cc'],
    ['odd/BUILD.bazel', 'cc_library(name = "x", strip_include_prefix = "/odd/headers")\n', 'odd/a.cc'],
    ['CMakeLists.txt', 'target_include_directories(app PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/odd/headers>)\n'],
    [
      'build/compile_commands.json',
      JSON.stringify([{ directory: `${root}/build`, command: 'cc -I../odd/headers -c a.c' }]),
    ],
    ['compile_commands.json', JSON.stringify([{ directory: root, arguments: ['cc', '-isystem', 'odd/headers'] }])],
  ] as [name: string, text: string, path?: string][])(
    'RT-02 directories that the build names: %s %j',
    async (name, text, path = 'app/a.cc') => {
      const tree = {
        [name]: text,
        [path]: '#include <x/x.hpp>\nx::Thing t;\n',
        'odd/headers/x/x.hpp': 'namespace x { struct Thing {}; }\n',
      };
      expect(await importsOf(path, tree)).toEqual({ 'x/x.hpp': ['odd/headers/x/x.hpp#Thing'] });
    },
  );

  it('RT-02 a header that only includes others comes with them', async () => {
    const tree = {
      'main.cc': '#include "all.h"\nint main() { return Second().get(); }\n',
      'all.h': '/* Second */\n#ifndef ALL\n#define ALL\n#include "parts/first.h"\n#include "parts/second.h"\n#endif\n',
      'parts/first.h': 'class First {};\n',
      'parts/second.h': '#include "all.h"\nclass Second { int get(); };\n',
    };
    expect(await importsOf('main.cc', tree)).toEqual({ 'all.h': ['all.h', 'parts/second.h#Second'] });
  });

  it('RT-02 nothing outside the workspace, and a broken compile_commands.json says nothing', async () => {
    const tree = {
      'compile_commands.json':
        '[{"directory": "/", "command": "cc -I/usr/include -I../../etc"}, 3, null, {"arguments": [1]}',
      'main.c': '#include "/etc/passwd"\n#include "../../etc/passwd"\n#include ""\n#include <>\n',
    };
    expect(await importsOf('main.c', tree)).toEqual({
      '/etc/passwd': 'outside_workspace',
      '../../etc/passwd': 'outside_workspace',
    });
  });

  it('RT-02 includes below a condition that asks for a header', async () => {
    const tree = {
      'a.cc': `#if defined(__has_include) && __has_include(<version>)
#  include <version>
#endif

#include <limits.h>

#include "cart.h"
#include "line.h"
Cart cart; Line line;
`,
      'cart.h': 'struct Cart {};\n',
      'line.h': 'struct Line {};\n',
    };
    expect(await importsOf('a.cc', tree)).toMatchObject({ 'cart.h': ['cart.h#Cart'], 'line.h': ['line.h#Line'] });
  });
});
