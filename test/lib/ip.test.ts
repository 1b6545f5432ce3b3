import { describe, expect, test } from 'bun:test'

import { clientIp, formatIp, ipBucket, ipTest, parseIp, parseRange } from '#lib/ip.ts'

const text = (ip: string): string | undefined => {
  const bytes = parseIp(ip)
  return bytes && formatIp(bytes)
}

describe('addresses', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['0.0.0.0', '0.0.0.0'],
    ['::1', '::1'],
    ['::', '::'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8::', '2001:db8::'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['1:0:3:4:5:6:7:8', '1:0:3:4:5:6:7:8'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:0201', '192.0.2.1'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
  ])('the address %s is written as %s', (given, normal) => expect(text(given)).toBe(normal))

  test.each([
    '',
    '1.2.3',
    '1.2.3.256',
    '01.2.3.4',
    '1.2.3.4.5',
    ' 1.2.3.4',
    '1.2.3.4 ',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8:9',
    '12345::',
    'g::',
    '::1.2.3',
    'localhost',
    '1.2.3.4:80',
    '[::1]',
    '-1.2.3.4',
    '1:2:3:4:5:6:7:',
    ':1:2:3:4:5:6:7',
  ])('%p is not an address', (given) => expect(parseIp(given)).toBeUndefined())
})

describe('ranges', () => {
  test.each([
    ['127.0.0.0/8', '127.255.0.3', true],
    ['127.0.0.0/8', '128.0.0.1', false],
    ['10.0.0.0/9', '10.127.255.255', true],
    ['10.0.0.0/9', '10.128.0.0', false],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '192.0.2.8', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '203.0.113.9', false],
    ['2001:db8::/33', '2001:db8:7fff::1', true],
    ['2001:db8::/33', '2001:db8:8000::1', false],
    ['::1', '::1', true],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '11.1.2.3', false],
  ])('the range %s contains %s: %p', (range, ip, yes) => expect(ipTest([range])(ip)).toBe(yes))

  test.each([
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/8.5',
    '/8',
    'nas/8',
    '::ffff:10.0.0.0/8',
  ])('%p is not a range', (given) => expect(parseRange(given)).toBeUndefined())

  test('an empty list of ranges contains no address, and a text that is not an address is in no range', () => {
    expect(ipTest([])('127.0.0.1')).toBe(false)
    expect(ipTest(['0.0.0.0/0', '::/0'])('unix')).toBe(false)
  })
})

describe('the client behind proxies', () => {
  const trusted = ipTest(['127.0.0.0/8', '::1', '10.0.0.0/8'])
  test.each([
    ['the peer itself if it is not a trusted proxy', '203.0.113.5', '198.51.100.1', '203.0.113.5'],
    ['the address that one proxy names', '127.0.0.1', '203.0.113.5', '203.0.113.5'],
    ['the right-most address, as forged ones are to its left', '127.0.0.1', '1.1.1.1, 203.0.113.5', '203.0.113.5'],
    ['the address before a chain of trusted proxies', '127.0.0.1', '203.0.113.5, 10.0.0.7', '203.0.113.5'],
    ['the left-most address if all are trusted proxies', '127.0.0.1', '10.0.0.9, 10.0.0.7', '10.0.0.9'],
    ['the peer if there is no header', '127.0.0.1', null, '127.0.0.1'],
    ['the peer if the header is empty', '127.0.0.1', '', '127.0.0.1'],
    [
      'the last proxy before an entry that is not an address',
      '127.0.0.1',
      '203.0.113.5, unknown, 10.0.0.7',
      '10.0.0.7',
    ],
    ['the peer if the last entry is not an address', '127.0.0.1', '203.0.113.5, <script>', '127.0.0.1'],
    ['the address without its port', '127.0.0.1', '203.0.113.5:4711', '203.0.113.5'],
    ['the IPv6 address without brackets and port', '::1', '[2001:db8::5]:4711', '2001:db8::5'],
    ['the address that an IPv4-mapped proxy names', '::ffff:127.0.0.1', '203.0.113.5', '203.0.113.5'],
    ['the IPv4 address of an IPv4-mapped peer', '::ffff:203.0.113.9', null, '203.0.113.9'],
    ['the shortest spelling of an address', '127.0.0.1', '2001:DB8:0:0::5', '2001:db8::5'],
  ])('the client is %s', (_, peer, header, client) => expect(clientIp(peer, header, trusted)).toBe(client))
})

test.each([
  ['203.0.113.5', '203.0.113.5'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
  ['::1', '::/64'],
  ['::ffff:203.0.113.5', '203.0.113.5'],
  ['unix', 'unix'],
])('the rate limit key of %s is %s', (ip, bucket) => expect(ipBucket(ip)).toBe(bucket))
