/** Accept-Encoding (RFC 9110 §12.5.3). */

import { expect, test } from 'bun:test'

import { chooseCoding, type Coding } from '#http/web-app/coding.ts'

const cases: [header: string | null, coding: Coding][] = [
  [null, 'identity'],
  ['', 'identity'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br', 'br'],
  ['GZIP', 'gzip'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['gzip;q=0.5,br ; q=0.501', 'br'],
  ['br;q=0, gzip;q=0.001', 'gzip'],
  ['br;q=0', 'identity'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['*;q=0', 'identity'],
  ['gzip, *;q=0', 'gzip'],
  ['identity', 'identity'],
  ['identity, br;q=0.9', 'identity'],
  ['identity;q=0.5, br;q=0.5', 'br'],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
  ['deflate, zstd', 'identity'],
  // Members that are not understood count as absent.
  ['br;q=2, gzip', 'gzip'],
  ['br;level=5, gzip', 'gzip'],
  ['brotli', 'identity'],
  [`${'x, '.repeat(1000)}br`, 'identity'],
]

test.each(cases)('Accept-Encoding: %p is answered in %p', (header, coding) => {
  expect(chooseCoding(header, ['br', 'gzip'])).toBe(coding)
})
