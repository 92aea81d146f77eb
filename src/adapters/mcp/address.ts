/**
 * Addresses at which no MCP server is called (S-27). The check is for the address of the connection, not for a name.
 */
import { BlockList, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

const never = new BlockList();
const ranges: [network: string, prefix: number][] = [
  // This machine without a name, link-local, multicast, reserved.
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 3],
  ['::', 128],
  ['fe80::', 10],
  ['ff00::', 8],
  // Where machines of cloud providers get their credentials.
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.192', 32],
  ['fd00:ec2::', 32],
  ['fd20:ce::254', 128],
  ['fd00:c1::a9fe:a9fe', 128],
  ['fd00:42::42', 128],
  // Link-local addresses behind address translators.
  ['64:ff9b::a9fe:0', 112],
  ['2002:a9fe::', 32],
];
for (const [network, prefix] of ranges) never.addSubnet(network, prefix, isIPv6(network) ? 'ipv6' : 'ipv4');

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** The reason why nothing is sent to this address and port. Undefined if it is allowed. */
export function objectionToAddress(address: string, port: number, ownPort: number | undefined): string | undefined {
  const bare = address.split('%', 1)[0] ?? '';
  const family = isIPv6(bare) ? 'ipv6' : 'ipv4';
  if (never.check(bare, family)) return `The address ${bare} is link-local, reserved or a metadata service.`;
  if (port === ownPort && (loopback.check(bare, family) || ownAddresses().check(bare, family)))
    return 'That is the daemon itself.';
  return undefined;
}

/** The present addresses of this machine. `BlockList` knows each address in every notation. */
function ownAddresses(): BlockList {
  const own = new BlockList();
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((each) => each ?? []))
    own.addAddress(address, family === 'IPv6' ? 'ipv6' : 'ipv4');
  return own;
}
