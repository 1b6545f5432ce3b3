import { describe, expect, test } from 'bun:test'

import { isLoopbackAddress, type ReachProblem, reachProblems } from '#lib/reach.ts'

describe('reachProblems', () => {
  const cases: [address: string, problems: ReachProblem[]][] = [
    ['https://qr.example.org', []],
    ['https://qr.example.org:8443/base', []],
    ['https://8.8.8.8', []],
    ['https://[2606:4700::1111]', []],
    ['http://qr.example.org', ['PLAIN_HTTP']],
    ['http://localhost:8080', ['LOOPBACK']],
    ['https://LOCALHOST.', ['LOOPBACK']],
    ['http://box.localhost', ['LOOPBACK']],
    ['http://127.1.2.3', ['LOOPBACK']],
    ['http://[::1]:8080', ['LOOPBACK']],
    ['http://[::ffff:127.0.0.1]', ['LOOPBACK']],
    ['http://0.0.0.0:8080', ['LOOPBACK']],
    ['https://192.168.1.5:8443', ['PRIVATE']],
    ['http://10.0.0.1', ['PRIVATE', 'PLAIN_HTTP']],
    ['http://100.64.0.1', ['PRIVATE', 'PLAIN_HTTP']],
    ['https://[fd00::5]', ['PRIVATE']],
    ['https://box.local', ['PRIVATE']],
    ['https://box.home.arpa.', ['PRIVATE']],
    ['https://library', ['SINGLE_LABEL']],
    ['http://library:8080', ['SINGLE_LABEL', 'PLAIN_HTTP']],
    ['not an address', []],
    ['', []],
  ]
  for (const [address, problems] of cases)
    test(`finds ${problems.join(' and ') || 'nothing'} in ${JSON.stringify(address)}`, () => {
      expect(reachProblems(address)).toEqual(problems)
      expect(isLoopbackAddress(address)).toBe(problems[0] === 'LOOPBACK')
    })
})
