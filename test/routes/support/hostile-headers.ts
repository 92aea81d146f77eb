/** Header values that must never be accepted, for a daemon on `port` (S-01, S-03, S-04, S-06). */
import { consoleName, token } from './listening-app.ts';

export const goodHosts = (port: number) => [
  `127.0.0.1:${port}`,
  `localhost:${port}`,
  `[::1]:${port}`,
  `LocalHost:${port}`,
];

/** The host of the console; it is for what its page asks for, and the only one that signs in. */
export const consoleHost = (port: number): string => `${consoleName}:${port}`;

/** Whether a request under the host of the console is for the console. */
export const isForConsole = (operation: { isPublic: boolean; path: string }): boolean =>
  operation.isPublic || operation.path.startsWith('/v1/');

export const hostileHosts = (port: number) => [
  ...[`x.${consoleName}`, `${consoleName}.`, `${consoleName}.evil.com`, consoleName.slice(0, 32)].map(
    (name) => `${name}:${port}`,
  ),
  consoleName,
  `${consoleName}:${port === 65535 ? port - 1 : port + 1}`,
  `${consoleName.replace('3', '4')}:${port}`,
  `.localhost:${port}`,
  `console.localhost:${port}`,
  `evil.com:${port}`,
  `127.0.0.1.evil.com:${port}`,
  `localhost.evil.com:${port}`,
  `localhost.:${port}`,
  `evil.com@localhost:${port}`,
  `localhost:${port}@evil.com`,
  `localhost/evil.com`,
  'localhost#.evil.com',
  `2130706433:${port}`,
  `0x7f.1:${port}`,
  `127.1:${port}`,
  `0.0.0.0:${port}`,
  `[::]:${port}`,
  `[::ffff:127.0.0.1]:${port}`,
  `[0:0:0:0:0:0:0:1]:${port}`,
  `localhost:${port === 65535 ? port - 1 : port + 1}`,
  `localhost:0${port}`,
  'localhost',
  '127.0.0.1',
  `127.0.0.1:${port}, evil.com`,
  `127.0.0.1:${port} evil.com`,
  `\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1:${port}`,
  'evil.com',
  '',
];

export const goodOrigins = (port: number) => [
  `http://127.0.0.1:${port}`,
  `http://localhost:${port}`,
  `http://[::1]:${port}`,
];

export const hostileOrigins = (port: number) => [
  // Nobody but the console itself is asked by the console.
  `http://${consoleHost(port)}`,
  `https://${consoleHost(port)}`,
  `http://x.${consoleHost(port)}`,
  `http://${consoleName}`,
  `http://console.localhost:${port}`,
  'http://evil.com',
  `http://evil.com:${port}`,
  'null',
  '',
  'http://localhost:3000',
  'http://localhost',
  `http://localhost:${port}.evil.com`,
  `http://localhost:${port}/`,
  `https://127.0.0.1:${port}`,
  'chrome-extension://abcdefghijklmnop',
  'vscode-webview://x',
  `HTTP://LOCALHOST:${port}/`,
  `http://LOCALHOST:${port}`,
  `http://127.0.0.1:${port} http://evil.com`,
  `http://evil.com@127.0.0.1:${port}`,
  'file://',
  `HTTP://127.0.0.1:${port}`,
  `xxxx://127.0.0.1:${port}`,
  `//127.0.0.1:${port}`,
  `127.0.0.1:${port}`,
];

/** Each is a list of `Authorization` values (and other places a token does not belong to). */
export const wrongTokens: readonly (readonly (readonly [name: string, value: string])[])[] = [
  [],
  [['Authorization', 'Bearer']],
  [['Authorization', 'Bearer ']],
  [['Authorization', '']],
  [['Authorization', `Bearer ${'x'.repeat(token.length)}`]],
  [['Authorization', `Bearer ${token.slice(0, -1)}`]],
  [['Authorization', `Bearer ${token}x`]],
  [['Authorization', `Bearer ${[...token].reverse().join('')}`]],
  [['Authorization', `Bearer ${token} ${token}`]],
  [['Authorization', `Bearer  ${token}`]],
  [['Authorization', `Bearer "${token}"`]],
  [['Authorization', token]],
  [['Authorization', `Token ${token}`]],
  [['Authorization', `Basic ${Buffer.from(`:${token}`).toString('base64')}`]],
  [
    ['Authorization', `Bearer ${token}`],
    ['Authorization', `Bearer ${token}`],
  ],
  [['Cookie', `token=${token}; authorization=Bearer ${token}`]],
  [['X-Authorization', `Bearer ${token}`]],
  [['Proxy-Authorization', `Bearer ${token}`]],
];

export const wrongContentTypes = [
  'text/plain',
  'text/plain;application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json garbage',
  'application/json\t;x',
  'application/json;charset=utf-16',
  'application/json; charset=utf-8; x=y',
  'application/json,text/plain',
  'application/vnd.api+json',
  '',
];
