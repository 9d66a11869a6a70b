import ipaddr from 'ipaddr.js';

/** The one block out of which IPv6 addresses of the public internet are given. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** What IANA, the IETF and common habit keep for names that mean something inside one network only. */
const INTERNAL_SUFFIXES = [
  ...['local', 'localdomain', 'internal', 'home.arpa'],
  ...['intranet', 'private', 'corp', 'home', 'lan'],
];

/**
 * Whether an address in canonical spelling belongs to the public internet. Not so are loopback, private, link-local,
 * shared, unspecified, documentation, benchmark, multicast and reserved ranges, nor IPv4 addresses inside IPv6.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}

/** Whether a host, as a URL spells it but without brackets, is this machine under a name or an address of its own. */
export function isLoopbackHost(host: string): boolean {
  if (ipaddr.isValid(host)) return ipaddr.parse(host).range() === 'loopback';
  return isLocalhostName(host);
}

/** `localhost` and all below it, which RFC 6761 keeps for loopback. */
export function isLocalhostName(host: string): boolean {
  const name = withoutDot(host);
  return name === 'localhost' || name.endsWith('.localhost');
}

/** Whether a name can only be that of a host in a network of its own: it has no dot, or a suffix kept for such names. */
export function isInternalName(host: string): boolean {
  const name = withoutDot(host);
  if (!name.includes('.')) return true;
  return INTERNAL_SUFFIXES.some((suffix) => name.endsWith(`.${suffix}`));
}

function withoutDot(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}
