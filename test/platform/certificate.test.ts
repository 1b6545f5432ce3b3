/** Checks of a certificate and a key that an administrator sends. test/ops/https.test.ts has those of files. */

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { checkPair, factsOf } from '#platform/certificate.ts'

const fixture = (name: string): string => readFileSync(join(import.meta.dir, '../harness/tls', name), 'utf8')
const chain = (name: string): string => fixture(`${name}.cert.pem`)
const key = (name: string): string => fixture(`${name}.key.pem`)

const NOW = Date.parse('2026-11-29T00:00:00Z')

describe('a certificate and its key', () => {
  test.each<[string, string, string, string[]]>([
    ['a name', chain('localhost-1'), key('localhost-1'), ['localhost']],
    ['an address', chain('localhost-1'), key('localhost-1'), ['127.0.0.1', 'localhost']],
    ['a name under a wildcard', chain('other'), key('other'), ['other.example.org', 'any.example.net']],
    ['a wildcard', chain('other'), key('other'), ['*.example.net']],
    ['a name, with a chain', chain('localhost-1') + chain('other'), key('localhost-1'), ['localhost']],
  ])('are accepted for %s', (_what, cert, secret, names) => {
    expect(checkPair(cert, secret, names, NOW)).toBeUndefined()
  })

  test.each<[string, string, string, string[], string, RegExp]>([
    ['without a certificate', 'x', key('localhost-1'), ['localhost'], 'certificate', /not in PEM form/],
    ['without a key', chain('localhost-1'), 'x', ['localhost'], 'key', /not a private key in PEM form/],
    [
      'with a key that has a password',
      chain('localhost-1'),
      '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----',
      ['localhost'],
      'key',
      /without a password/,
    ],
    ['with another key', chain('localhost-1'), key('other'), ['localhost'], 'otherKey', /does not belong/],
    [
      'with a chain that is cut off',
      chain('localhost-1') + chain('other').slice(0, -100),
      key('localhost-1'),
      ['localhost'],
      'chain',
      /is not complete/,
    ],
    [
      'for other names',
      chain('other'),
      key('other'),
      ['other.example.org', 'qr.example.org'],
      'name',
      /^The certificate is for other\.example\.org, \*\.example\.net, and not for qr\.example\.org\.$/,
    ],
    ['for no wildcard', chain('localhost-1'), key('localhost-1'), ['*.localhost'], 'name', /not for \*\.localhost/],
    ['that have ended', chain('expired'), key('expired'), ['localhost'], 'expired', /expired on 2021-01-01/],
    [
      'with the key in the chain',
      chain('localhost-1') + key('localhost-1'),
      key('localhost-1'),
      ['localhost'],
      'keyInChain',
      /contains a private key/,
    ],
  ])('%s are refused', (_what, cert, secret, names, fault, words) => {
    const problem = checkPair(cert, secret, names, NOW)!
    expect(problem.fault as string).toBe(fault)
    expect(problem.sentence.en).toMatch(words)
    expect(problem.sentence.zh).toMatch(/[一-龥]/)
  })

  test('show names, issuer and serial number', () => {
    expect(factsOf(chain('other'))).toEqual({
      names: ['other.example.org', '*.example.net'],
      issuer: expect.stringMatching(/./),
      serial: expect.stringMatching(/^[0-9a-f]+$/),
    })
  })
})
