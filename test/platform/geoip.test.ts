/** Cities of IP addresses, from databases written by these tests; the format's own reader (ip2region.js) is the oracle. */

import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { IPv4, IPv6, newWithBuffer, parseIP } from 'ip2region.js'

import { formatIp, parseIp } from '#lib/ip.ts'
import { BadGeoip, countryIn, openPlaces, placeIn } from '#platform/geoip/index.ts'
import { openXdb } from '#platform/geoip/xdb.ts'

import { makeMmdb } from './mmdb-file.ts'
import { makeXdb, type Range } from './xdb-file.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tessera-geoip-'))
afterAll(() => rmSync(scratch, { recursive: true }))

let count = 0
function file(bytes: Uint8Array, extension = 'xdb'): string {
  const path = join(scratch, `${count++}.${extension}`)
  writeFileSync(path, bytes)
  return path
}

const V4: Range[] = [
  { first: '1.0.0.0', last: '1.0.0.255', region: '澳大利亚|昆士兰|布里斯班|0|AU' },
  { first: '1.0.1.0', last: '1.0.3.255', region: '中国|福建省|福州市|电信|CN' },
  // Spans several values of the first two bytes.
  { first: '8.0.0.0', last: '8.15.255.255', region: '美国|0|0|Level3|US' },
  { first: '113.92.0.0', last: '113.92.255.255', region: '中国|广东省|深圳市|电信|CN' },
  { first: '255.255.255.255', last: '255.255.255.255', region: '0|0|0|内网IP|0' },
]
const V6: Range[] = [
  { first: '2001:250::', last: '2001:250:ffff:ffff:ffff:ffff:ffff:ffff', region: '中国|北京市|北京市|教育网|CN' },
  { first: '2400:3200::', last: '2400:3200:1:ffff:ffff:ffff:ffff:ffff', region: '中国|浙江省|杭州市|阿里云|CN' },
  { first: '2606:4700::', last: '2607:0:0:0:0:0:0:0', region: '美国|加利福尼亚州|0|0|US' },
]

const v4 = makeXdb(4, 3, V4)
const v6 = makeXdb(6, 3, V6)

describe('every lookup returns what ip2region.js returns', () => {
  test.each([
    ['structure 2, IPv4', makeXdb(4, 2, V4), IPv4, V4],
    ['structure 3, IPv4', v4, IPv4, V4],
    ['structure 3, IPv6', v6, IPv6, V6],
  ])('lookups in a database of %s return what ip2region.js returns', async (_, bytes, version, ranges) => {
    const mine = openXdb(file(bytes))
    const oracle = newWithBuffer(version, bytes)
    const width = mine.width
    const asked: string[] = []
    // The edges of each range and their neighbours, then random addresses.
    for (const { first, last } of ranges)
      for (const edge of [first, last]) {
        const address = parseIp(edge)!
        for (const step of [-1, 0, 1]) asked.push(formatIp(neighbour(address, step)))
      }
    for (let i = 0; i < 2000; i++) asked.push(formatIp(crypto.getRandomValues(new Uint8Array(width))))
    let found = 0
    for (const ip of asked) {
      const expected = await oracle.search(parseIP(ip))
      expect(mine.lookup(parseIp(ip)!), ip).toBe(expected)
      if (expected !== '') found++
    }
    expect(found).toBeGreaterThan(ranges.length)
    mine.close()
  })
})

function neighbour(address: Uint8Array, step: number): Uint8Array {
  const value = BigInt(`0x${address.toHex()}`) + BigInt(step)
  const bits = BigInt(address.length * 8)
  return Uint8Array.fromHex(
    BigInt.asUintN(Number(bits), value)
      .toString(16)
      .padStart(address.length * 2, '0'),
  )
}

test.each([
  ['中国|广东省|深圳市|电信|CN', '深圳市'],
  ['中国|0|广东省|深圳市|电信', '深圳市'],
  ['中国|0|台湾省|0|中华电信', '台湾省'],
  ['美国|0|华盛顿|0|谷歌', '华盛顿'],
  ['美国|加利福尼亚州|0|0|US', '加利福尼亚州'],
  ['美国|0|0|Level3|US', '美国'],
  ['美国|0|0|0|Level3', '美国'],
  ['法国|0|0|0|橘子电信', '法国'],
  ['0|0|0|内网IP|内网IP', ''],
  ['Reserved|Reserved|Reserved|0|0', ''],
  ['', ''],
  ['新加坡', '新加坡'],
])('the most exact place in %j is %j', (text, place) => {
  expect(placeIn(text)).toBe(place)
})

test('IPv4 and IPv6 addresses have cities; private addresses and other texts have none', () => {
  const cities = openPlaces([file(v4), file(v6)])
  expect(cities.cityOf('113.92.3.4')).toBe('深圳市')
  expect(cities.cityOf('::ffff:113.92.3.4')).toBe('深圳市')
  expect(cities.cityOf('8.8.8.8')).toBe('美国')
  expect(cities.cityOf('2400:3200::1')).toBe('杭州市')
  for (const ip of ['9.9.9.9', '127.0.0.1', '10.1.2.3', '::1', 'fe80::1', 'fd00::1', '2a00::1', '', 'unknown', '1.2.3'])
    expect(cities.cityOf(ip), ip).toBe('')
  cities.close()
})

test('without a database every city is empty', () => {
  expect(openPlaces([]).cityOf('113.92.3.4')).toBe('')
})

test('with a database for IPv6 only, IPv4 addresses have no city', () => {
  const cities = openPlaces([file(v6)])
  expect(cities.cityOf('113.92.3.4')).toBe('')
  expect(cities.cityOf('2400:3200::1')).toBe('杭州市')
})

test('a private address has no city even if the database contains one', () => {
  const path = file(
    makeXdb(4, 3, [{ first: '10.0.0.0', last: '10.255.255.255', region: '中国|广东省|深圳市|电信|CN' }]),
  )
  expect(openPlaces([path]).cityOf('10.1.2.3')).toBe('')
})

describe('a file that cannot be used is refused', () => {
  const patched = (at: number, value: number): Buffer => {
    const bytes = Buffer.from(v4)
    bytes.writeUInt32LE(value, at)
    return bytes
  }
  test.each([
    ['something else', Buffer.from('not a database')],
    ['something else of the right size', Buffer.alloc(v4.length, 7)],
    ['an empty file', Buffer.alloc(0)],
    ['a cut file', v4.subarray(0, -7)],
    ['a newer structure', patched(0, 4)],
    ['an index before its place', patched(8, 100)],
    ['an index beyond the end', patched(12, v4.length)],
    ['an index that is not a whole number of entries', patched(12, v4.readUInt32LE(12) - 3)],
  ])('%s instead of a database is refused, and the error names the file', (_, bytes) => {
    const path = file(bytes)
    expect(() => openPlaces([path])).toThrow(BadGeoip)
    expect(() => openPlaces([path])).toThrow(path)
  })

  test('a missing file, a folder and a second database of the same family are refused', () => {
    expect(() => openPlaces(['/missing.xdb'])).toThrow('there is no such file')
    expect(() => openPlaces([scratch])).toThrow(BadGeoip)
    expect(() => openPlaces([file(v4), file(v4)])).toThrow('two databases for IPv4')
  })
})

test('a file damaged while it is in use gives wrong texts at worst, never an error', () => {
  const path = file(v4)
  const mine = openXdb(path)
  for (let round = 0; round < 50; round++) {
    const bytes = Buffer.from(v4)
    for (let i = 0; i < 500; i++) bytes[256 + ((Math.random() * (bytes.length - 256)) | 0)] = (Math.random() * 256) | 0
    // The index of the first two bytes is damaged throughout.
    for (let i = 0; i < 256 * 4; i++) bytes.writeUInt32LE((Math.random() * 2 ** 32) >>> 0, 256 + i * 512)
    writeFileSync(path, round % 5 === 0 ? bytes.subarray(0, 1000) : bytes)
    for (let i = 0; i < 200; i++) expect(mine.lookup(crypto.getRandomValues(new Uint8Array(4)))).toBeString()
  }
  mine.close()
})

test.each([
  ['中国|广东省|深圳市|电信|CN', 'CN'],
  ['United States|California|0|0|US', 'US'],
  ['中国|0|广东省|深圳市|电信', 'CN'],
  ['美国|0|0|0|Level3', 'US'],
  ['法国|0|0|0|橘子电信', 'FR'],
  ['0|0|0|内网IP|内网IP', ''],
  ['Reserved|Reserved|Reserved|0|0', ''],
  ['', ''],
])('the country in %j is %j', (text, country) => {
  expect(countryIn(text)).toBe(country)
})

describe('a MaxMind database', () => {
  const rows = {
    '81.2.69.0/24': {
      city: { names: { en: 'London', 'zh-CN': '伦敦' } },
      country: { iso_code: 'GB', names: { en: 'United Kingdom' } },
    },
    '89.160.0.0/16': { country: { iso_code: 'SE', names: { en: 'Sweden' } } },
    '2.125.0.0/16': { registered_country: { iso_code: 'FR' } },
    '216.160.0.0/16': { city: 'Milton', region: 'Washington', country: 'United States', country_code: 'US' },
    '10.0.0.0/8': { country: { iso_code: 'DE' } },
    '2001:218::/32': { country: { iso_code: 'JP', names: { 'zh-CN': '日本' } } },
  }

  test('has countries and cities of both families', () => {
    const places = openPlaces([file(makeMmdb(6, rows), 'mmdb')])
    const found = (ip: string) => [places.countryOf(ip), places.cityOf(ip)]
    expect(found('81.2.69.160')).toEqual(['GB', 'London'])
    expect(found('::ffff:81.2.69.160')).toEqual(['GB', 'London'])
    expect(found('89.160.20.1')).toEqual(['SE', 'Sweden'])
    expect(found('2.125.1.1')).toEqual(['FR', ''])
    expect(found('216.160.83.56')).toEqual(['US', 'Milton'])
    expect(found('2001:218::7')).toEqual(['JP', '日本'])
    for (const ip of ['9.9.9.9', '10.1.2.3', '2a00::1', '', 'unknown']) expect(found(ip), ip).toEqual([null, ''])
    places.close()
  })

  test('may contain IPv4 addresses only, beside another one for IPv6', () => {
    const { '2001:218::/32': _, ...v4Rows } = rows
    const places = openPlaces([file(makeMmdb(4, v4Rows), 'mmdb'), file(v6)])
    expect(places.countryOf('81.2.69.160')).toBe('GB')
    expect(places.countryOf('2400:3200::1')).toBe('CN')
    expect(places.files.map(({ widths }) => widths)).toEqual([[4], [16]])
    places.close()
  })

  test('is refused beside another one of the same family, or if it is damaged', () => {
    const good = makeMmdb(6, rows)
    expect(() => openPlaces([file(good, 'mmdb'), file(v4)])).toThrow('two databases for IPv4')
    expect(() => openPlaces(['/missing.mmdb'])).toThrow('there is no such file')
    for (const bytes of [Buffer.alloc(0), Buffer.from('not a database'), good.subarray(0, -20), good.subarray(200)]) {
      const path = file(bytes, 'mmdb')
      expect(() => openPlaces([path])).toThrow(BadGeoip)
      expect(() => openPlaces([path])).toThrow(path)
    }
  })

  test('that is damaged inside gives wrong places at worst, never an error', () => {
    const good = makeMmdb(6, rows)
    for (let round = 0; round < 50; round++) {
      const bytes = Buffer.from(good)
      for (let i = 0; i < 20; i++) bytes[(Math.random() * (bytes.length - 400)) | 0] = (Math.random() * 256) | 0
      let places
      try {
        places = openPlaces([file(bytes, 'mmdb')])
      } catch (error) {
        expect(error).toBeInstanceOf(BadGeoip)
        continue
      }
      for (const ip of ['81.2.69.160', '89.160.20.1', '2001:218::7', '9.9.9.9']) expect(places.cityOf(ip)).toBeString()
    }
  })
})
