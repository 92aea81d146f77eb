import { expect, it } from 'vitest';
import { decideBindAddress } from '../../../routes/http/bind-address.ts';

const beyondLoopback = [
  '0.0.0.0',
  '::',
  '',
  '0',
  '0x0',
  '0.0',
  '::0',
  '::ffff:0.0.0.0',
  '０',
  '192.168.1.5',
  'example.com',
  '[::]',
  'localhost',
  '127.1',
  '127.0.0.2',
  '2130706433',
  '[::1]',
  '::ffff:127.0.0.1',
  ' 127.0.0.1',
  '127.0.0.1 ',
  '127.0.0.1:80',
  '0:0:0:0:0:0:0:1',
];
const allowedHosts = ['box.local:4747'];

it('S-13 listens on the literal loopback addresses, by default on 127.0.0.1', () => {
  expect(decideBindAddress({})).toEqual({ host: '127.0.0.1' });
  expect(decideBindAddress({ host: '127.0.0.1' })).toEqual({ host: '127.0.0.1' });
  expect(decideBindAddress({ host: '::1' })).toEqual({ host: '::1' });
  expect(decideBindAddress({ dangerouslyBind: '127.0.0.1' })).toEqual({ host: '127.0.0.1' });
});

it.each(beyondLoopback)('S-13 does not listen on "%s", with or without an allowed host', (host) => {
  expect(decideBindAddress({ host })).toEqual({ problem: expect.stringContaining('--dangerously-bind') });
  expect(decideBindAddress({ host, allowedHosts })).toEqual({ problem: expect.stringContaining('--dangerously-bind') });
});

it('S-13 listens beyond loopback only on an IP address said twice over, and tells the risk', () => {
  for (const ip of ['0.0.0.0', '::', '192.168.1.5', '::ffff:0.0.0.0']) {
    expect(decideBindAddress({ dangerouslyBind: ip })).toEqual({ problem: expect.stringContaining('--allowed-host') });
    expect(decideBindAddress({ dangerouslyBind: ip, allowedHosts: [] })).toEqual({
      problem: expect.stringContaining('--allowed-host'),
    });
    expect(decideBindAddress({ dangerouslyBind: ip, allowedHosts })).toEqual({
      host: ip,
      risk: expect.stringContaining(ip),
    });
    expect(decideBindAddress({ host: ip, dangerouslyBind: ip, allowedHosts })).toMatchObject({ host: ip });
  }
  for (const name of ['example.com', '', '0', '0x0', '０', '[::]', 'localhost', '127.1'])
    expect(decideBindAddress({ dangerouslyBind: name, allowedHosts })).toEqual({
      problem: expect.stringContaining('IP address'),
    });
});

it('S-13 refuses contradicting addresses', () => {
  for (const host of ['127.0.0.1', '::1', '10.0.0.1'])
    expect(decideBindAddress({ host, dangerouslyBind: '0.0.0.0', allowedHosts })).toEqual({
      problem: expect.stringContaining('contradict'),
    });
});
