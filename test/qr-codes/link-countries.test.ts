/** Short links that lead by the country of the visitor, which is found by the address of the request. */

import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ok, until, useServer } from '../harness/index.ts'
import { makeMmdb } from '../platform/mmdb-file.ts'
import { changeLink, createLink, pathOf, scan, setLink } from './link-helpers.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tessera-countries-'))
afterAll(() => rmSync(scratch, { recursive: true }))
const path = join(scratch, 'countries.mmdb')
const inCountry = (code: string) => ({ country: { iso_code: code } })
writeFileSync(
  path,
  makeMmdb(6, {
    '203.0.113.0/24': inCountry('DE'),
    '198.51.100.0/24': inCountry('CN'),
    '2001:db8:1::/48': inCountry('DE'),
  }),
)

const { server, alice } = useServer({ people: ['alice'], config: { geoipFile: [path] } })
const direct = useServer({ people: ['alice'], config: { geoipFile: [path], trustedProxies: [] } })

const RULES = [
  { target: 'https://example.com/de', countries: ['AT', 'DE'] },
  { target: 'https://example.com/cn', countries: ['CN'] },
]
const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } })

describe('a rule with countries', () => {
  test.each([
    ['203.0.113.7', 'https://example.com/de'],
    ['2001:db8:1::7', 'https://example.com/de'],
    ['198.51.100.7', 'https://example.com/cn'],
    ['192.0.2.7', 'https://example.com/menu'],
    ['2001:db8:2::7', 'https://example.com/menu'],
    // The last one is that which the proxy has added.
    ['203.0.113.7, 198.51.100.7', 'https://example.com/cn'],
  ])('leads a visitor from %s to %s', async (ip, target) => {
    const code = await createLink(alice)
    await changeLink(alice, code, { rules: RULES })
    for (const address of [pathOf(code), `/public/qr/${code.uuid}`]) {
      const { status, headers } = await scan(server, address, from(ip))
      expect([status, headers.get('location')]).toEqual([302, target])
    }
  })

  test('is tried with a country, and counted by it', async () => {
    const code = await createLink(alice)
    await changeLink(alice, code, { rules: RULES })
    for (const [country, ruleIndex] of [
      ['DE', 0],
      ['CN', 1],
      ['FR', null],
    ] as const)
      expect(ok(await alice.post(`/api/qr-codes/${code.id}/link/try`, { country })).data.ruleIndex).toBe(ruleIndex)
    for (const ip of ['203.0.113.7', '203.0.113.8', '198.51.100.7', '192.0.2.7'])
      await scan(server, pathOf(code), from(ip))
    const stats = async () => ok(await alice.get(`/api/qr-codes/${code.id}/stats`)).data
    await until(async () => (await stats()).byRule.length === 3)
    const { byCountry, byRule } = await stats()
    expect(byCountry).toEqual([
      { value: 'DE', count: 2 },
      { value: null, count: 1 },
      { value: 'CN', count: 1 },
    ])
    expect(byRule).toEqual([
      { value: '0', count: 2 },
      { value: '1', count: 1 },
      { value: 'default', count: 1 },
    ])
  })

  test.each(['EU', 'XX', 'de'])('is refused with %s, which is not the code of a country', async (country) => {
    const code = await createLink(alice)
    const rules = [{ target: 'https://example.com/x', countries: [country] }]
    expect((await setLink(alice, code, { rules })).status).toBe(400)
  })

  test('does not believe an address that no trusted proxy has sent', async () => {
    const code = await createLink(direct.alice)
    await changeLink(direct.alice, code, { rules: RULES })
    const { headers } = await scan(direct.server, pathOf(code), from('203.0.113.7'))
    expect(headers.get('location')).toBe('https://example.com/menu')
  })
})
