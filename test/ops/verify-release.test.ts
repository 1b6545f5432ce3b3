/** The command that checks downloaded files. Key and signature were made by minisign 0.11, so that both programs must agree. */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { readSecretKey, signRelease } from '../../src/platform/minisign.ts'
import { PUBLIC_KEY, SECRET_KEY } from '../fixtures/release-key.ts'
import { Installation } from './cli.ts'

const OTHER_KEY = `untrusted comment: minisign public key of somebody else
RWQWb+8JqvvxNR0JexcJhEpvPjMtQ0V+5DEQMWCHs54DBX87ixk8XLqx
`
/** By `minisign -S -W -s sec -m SHA256SUMS -x SHA256SUMS.sig -t 'tessera 1.2.3, commit abc'`. */
const SIGNATURE = `untrusted comment: signature from minisign secret key
RURM0lCVSvXnlmO/wnhTBxD+84TRTtpr2F7blHQE1xXPn0KCqXaSPt/7GxOyE7C/+zLHfvEAM0RDs816dStBAr7L6NX/J8araQ8=
trusted comment: tessera 1.2.3, commit abc
5//33N1GyQF6UGHJrlGrvHbcHOHzf6ox26LaQgjTTydgxf79c0Ayq7uhKoL0tnc/eI32Y+HE275zVqccbGWgAw==
`
const SUMS = `8c304c3a2ac9924f351532af4cc90c1b6198e9cc578d70a6bca945c7300116a8  tessera-linux-x64
7e4fa2eb8c7ac089739d5defc4489fad68a100d92082ca35c6b40a4524821f87  tessera-macos-arm64
`

let place: Installation
let directory = ''
beforeEach(() => {
  place = new Installation()
  directory = place.cwd
  for (const [name, text] of [
    ['key.pub', PUBLIC_KEY],
    ['SHA256SUMS', SUMS],
    ['SHA256SUMS.sig', SIGNATURE],
    ['tessera-linux-x64', 'a program\n'],
  ] as const)
    writeFileSync(join(directory, name), text)
})
afterEach(() => place.dispose())

const verify = () => place.run(['verify-release', directory, '--key-file', join(directory, 'key.pub')])

test('the files of a release are good, and those that were not downloaded are not missed', async () => {
  const { code, stdout, stderr } = await verify()
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toBe('SHA256SUMS.sig: good (tessera 1.2.3, commit abc)\ntessera-linux-x64: good\n')
})

test('the build signs as minisign does', () => {
  const own = signRelease(Buffer.from(SUMS), readSecretKey(SECRET_KEY), 'tessera 1.2.3, commit abc')
  // The first line is not signed.
  expect(own.split('\n').slice(1)).toEqual(SIGNATURE.split('\n').slice(1))
})

test('a changed program is named', async () => {
  writeFileSync(join(directory, 'tessera-linux-x64'), 'another program\n')
  const { code, stdout, stderr } = await verify()
  expect(code).toBe(1)
  expect(stdout).toContain('tessera-linux-x64: CHANGED\n')
  expect(stderr).toContain('Do not use tessera-linux-x64')
})

test.each<[string, string, (text: string) => string, string]>([
  ['checksums', 'SHA256SUMS', (text) => text.replace(/^./, '0'), 'the signature does not fit the file'],
  ['version', 'SHA256SUMS.sig', (text) => text.replace('1.2.3', '9.9.9'), 'the signature does not fit the file'],
  [
    'signature',
    'SHA256SUMS.sig',
    (text) => text.replace('RURM0lCVSvXnl', 'RURM0lCVSvXnk'),
    'the signature was made with another key',
  ],
  ['form', 'SHA256SUMS.sig', () => 'no signature', 'the signature is not one of minisign'],
  ['key', 'key.pub', () => OTHER_KEY, 'the signature was made with another key'],
  ['key', 'key.pub', () => 'no key', 'the public key is not one of minisign'],
])('a wrong %s in %s is refused', async (_what, name, change, sentence) => {
  const file = join(directory, name)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
  const { code, stdout, stderr } = await verify()
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toBe(`SHA256SUMS cannot be trusted: ${sentence}.\n`)
})

test('a missing signature, key or listed file is named', async () => {
  const { code, stderr } = await place.run(['verify-release', directory])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--key-file')])
  rmSync(join(directory, 'tessera-linux-x64'))
  expect(await verify()).toMatchObject({ code: 2, stderr: expect.stringContaining('contains none of the files') })
  rmSync(join(directory, 'SHA256SUMS.sig'))
  expect(await verify()).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no file') })
})
