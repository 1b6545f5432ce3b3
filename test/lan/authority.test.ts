/** The authority of a private network and its certificates, as OpenSSL sees them; which names and addresses are private. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { isPrivateName, machineOf, networkHost, PRIVATE_RANGES } from '#config/machine.ts'
import { authorityNames, certificateNames, covers, sameNames } from '#domains/lan/authority/authority.rules.ts'
import { createAuthority, issueCertificate, type LocalAuthority, readAuthority } from '#platform/local-authority.ts'

const IDN = 'xn--bcherei-n2a.lan'
const NAMES = ['willow', 'willow.local', IDN]

let folder = ''
let authority: LocalAuthority
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-authority-'))
  authority = await createAuthority('Tessera', { dns: NAMES, ranges: PRIVATE_RANGES }, Date.now())
  writeFileSync(at('ca.pem'), authority.certificate)
  writeFileSync(at('ca.key'), authority.key)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string): string => join(folder, name)

function openssl(...args: string[]): { ok: boolean; output: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['openssl', ...args], { cwd: folder })
  return { ok: exitCode === 0, output: `${stdout.toString()}${stderr.toString()}` }
}

/** Issues a certificate for these names by the authority and lets OpenSSL judge it. */
async function verify(dns: string[], addresses: string[] = [], ...options: string[]) {
  const { cert } = await issueCertificate('Tessera', authority, { dns, addresses }, Date.now())
  writeFileSync(at('server.pem'), cert)
  const args = ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', 'ca.pem', ...options, 'server.pem']
  return openssl(...args)
}

describe('OpenSSL', () => {
  test('accepts certificates of the authority for its names, those below them, and private addresses', async () => {
    const addresses = ['10.1.2.3', '172.31.0.1', '192.168.1.5', '169.254.3.4', '127.0.0.1', 'fd00::2', 'fe80::1']
    expect(await verify([...NAMES, 'gate.willow', `a.b.${IDN}`], addresses)).toMatchObject({ ok: true })
    expect((await verify(NAMES, addresses, '-verify_hostname', 'willow.local')).ok).toBe(true)
    expect((await verify(NAMES, addresses, '-verify_ip', 'fd00::2')).ok).toBe(true)
    expect((await verify(NAMES, addresses, '-verify_hostname', 'oak.local')).ok).toBe(false)
  })

  test.each([
    [['example.org'], []],
    [['willow', 'example.org'], []],
    [['local'], []],
    [['oak.local'], []],
    [['evilwillow.local'], []],
    [['willow.local.example.org'], []],
    [['xn--bcherei-o2a.lan'], []],
    [['*.org'], []],
    [['willow'], ['8.8.8.8']],
    [['willow'], ['172.32.0.1']],
    [['willow'], ['11.0.0.1']],
    [['willow'], ['100.64.0.1']],
    [['willow'], ['2001:db8::1']],
    [['willow'], ['::1']],
    [['willow'], ['fec0::1']],
  ])('refuses certificates of the authority for %p %p', async (dns, addresses) => {
    const { ok, output } = await verify(dns, addresses)
    expect([ok, output]).toEqual([false, expect.stringContaining('permitted subtree violation')])
  })

  test('refuses a certificate with which mail would be signed', () => {
    openssl(
      'req',
      '-new',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      'mail.key',
      '-subj',
      '/CN=Mallory',
      '-out',
      'mail.csr',
    )
    writeFileSync(at('mail.ext'), 'keyUsage=digitalSignature\nextendedKeyUsage=emailProtection\n')
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'mail.ext']
    expect(openssl('x509', '-req', '-in', 'mail.csr', ...by, '-out', 'mail.pem').ok).toBe(true)
    const { ok, output } = openssl('verify', '-purpose', 'smimesign', '-CAfile', 'ca.pem', 'mail.pem')
    expect([ok, output]).toEqual([false, expect.stringMatching(/error \d+ at 1 depth/)])
  })

  test('reads the extensions of the authority', () => {
    const { output } = openssl('x509', '-in', 'ca.pem', '-noout', '-text')
    for (const line of [
      /X509v3 Basic Constraints: critical\s+CA:TRUE, pathlen:0/,
      /X509v3 Key Usage: critical\s+Certificate Sign, CRL Sign\n/,
      /X509v3 Extended Key Usage:\s+TLS Web Server Authentication\n/,
      /X509v3 Name Constraints: critical\s+Permitted:\s+DNS:willow\n\s+DNS:willow\.local\n/,
      /Subject: CN = Tessera local authority [0-9a-f]{4}\n/,
      /NIST CURVE: P-256/,
    ])
      expect(output).toMatch(line)
    const { fingerprint } = readAuthority(authority.certificate)
    const shown = openssl('x509', '-in', 'ca.pem', '-noout', '-fingerprint', '-sha256').output
    expect(shown.trim().split('=')[1]!.replaceAll(':', '')).toBe(fingerprint.replaceAll(' ', ''))
  })
})

test('a long name of the server is cut, so that the common name has at most 64 characters', async () => {
  const made = await createAuthority('😀'.repeat(60), { dns: ['willow'], ranges: PRIVATE_RANGES }, Date.now())
  writeFileSync(at('long.pem'), made.certificate)
  expect(readAuthority(made.certificate).name).toMatch(/^😀{43} local authority [0-9a-f]{4}$/u)
  expect(openssl('verify', '-x509_strict', '-CAfile', 'long.pem', 'long.pem').ok).toBe(true)
})

test('an authority without a name is not made, because it would be valid for all names', async () => {
  expect(createAuthority('Tessera', { dns: [], ranges: PRIVATE_RANGES }, Date.now())).rejects.toThrow('all names')
})

test.each([
  ['willow', true],
  ['willow.lan', true],
  ['gate.willow.home.arpa', true],
  ['nas-2.local', true],
  [IDN, true],
  ['dev', false],
  ['org', false],
  ['local', false],
  ['home.arpa', false],
  ['internal', false],
  ['example.org', false],
  ['willow.fritz.box', false],
  ['192.168.1.5', false],
  ['1234', false],
  ['0x7f', false],
  ['wil_low', false],
  ['-willow', false],
  ['willow.', false],
  ['', false],
  ['a'.repeat(64), false],
])('whether %p is a private name: %p', (name, expected) => {
  expect(isPrivateName(name)).toBe(expected)
})

describe('a machine', () => {
  const interfaces = { lo: ['127.0.0.1', '::1'], eth0: ['192.168.1.5', 'fd00::2', 'fe80::1', '203.0.113.7'] }

  test.each([
    ['Willow', ['willow', 'willow.local']],
    ['Willow.example.org', ['willow', 'willow.local']],
    ['bücherei', ['xn--bcherei-n2a', 'xn--bcherei-n2a.local']],
    // A top-level domain.
    ['dev', ['dev.local']],
    ['localhost', ['localhost.local']],
    ['1234', ['tessera', 'tessera.local']],
    ['my_server', ['tessera', 'tessera.local']],
    ['', ['tessera', 'tessera.local']],
  ])('that is called %p has the names %p', (hostname, names) => {
    expect(machineOf({ hostname, interfaces }).names).toEqual(names)
  })

  test('has its private addresses, those of the network first', () => {
    const docker = { docker0: ['172.17.0.1'], 'br-3f': ['192.168.99.1'] }
    const machine = machineOf({ hostname: 'willow', interfaces: { ...docker, ...interfaces } })
    expect(machine.addresses).toEqual(['192.168.1.5', 'fd00::2', '127.0.0.1', '192.168.99.1', '172.17.0.1', 'fe80::1'])
    expect(networkHost(machine)).toBe('192.168.1.5')
  })

  test('without an address is reached by its name', () => {
    expect(networkHost(machineOf({ hostname: 'willow', interfaces: {} }))).toBe('willow.local')
    expect(networkHost(machineOf({ hostname: 'willow', interfaces: { eth0: ['fd00::2'] } }))).toBe('[fd00::2]')
  })

  test('with 60 addresses gets a certificate for 50 names, which OpenSSL accepts', async () => {
    const many = { eth0: Array.from({ length: 60 }, (_, i) => `10.0.0.${i + 1}`) }
    const machine = machineOf({ hostname: 'willow', interfaces: many })
    const { dns, addresses } = certificateNames(NAMES, machine, 'https://10.0.0.60:8443')
    expect([dns, addresses.length, addresses[0]]).toEqual([NAMES, 47, '10.0.0.60'])
    expect((await verify([...dns], [...addresses], '-verify_ip', '10.0.0.46')).ok).toBe(true)
  })
})

test('an authority is for the names of the machine and of the public address, and its certificates for those below them', () => {
  const machine = { hasIpv6: false, names: ['willow', 'willow.local'], addresses: ['192.168.1.5'], publicAddresses: [] }
  expect(authorityNames(machine, 'https://library.lan:8443')).toEqual(['willow', 'willow.local', 'library.lan'])
  expect(authorityNames(machine, 'https://192.168.1.9:8443', [IDN, 'example.org'])).toEqual([
    'willow',
    'willow.local',
    IDN,
  ])
  expect(certificateNames(['willow'], machine, 'https://gate.willow')).toEqual({
    dns: ['willow', 'gate.willow'],
    addresses: ['192.168.1.5'],
  })
  // Behind a mapped port, the machine does not know the address by which it is reached.
  expect(certificateNames(['willow'], machine, 'https://192.168.1.9:8443').addresses).toEqual([
    '192.168.1.9',
    '192.168.1.5',
  ])
  expect([covers(['willow'], 'oak'), covers(['willow'], 'evilwillow'), covers(['willow'], '8.8.8.8')]).toEqual([
    false,
    false,
    false,
  ])
})

test('link-local IPv6 addresses alone do not change the certificate', () => {
  const names = { dns: ['willow'], addresses: ['192.168.1.5'] }
  expect(sameNames(names, { ...names, addresses: ['192.168.1.5', 'fe80::1'] })).toBe(true)
  expect(sameNames(names, { ...names, addresses: ['192.168.1.6'] })).toBe(false)
})
