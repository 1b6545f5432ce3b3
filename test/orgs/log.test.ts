import { expect, test } from 'bun:test'

import { createLog } from '#platform/log.ts'

/** The path of a request as the log shows it. */
function logged(path: string): string {
  let text = ''
  const log = createLog({ level: 'info', format: 'json', write: (lines) => (text += lines) })
  log.access('GET', path, 200, 1, { requestId: 'request-1', ip: '::1' }, 0)
  log.flush()
  return (JSON.parse(text) as { path: string }).path
}

test('the log shows no organization code, because anyone can join a FREE organization with it', () => {
  expect(logged('/api/orgs/public/K7WPQ2MX')).toBe('/api/orgs/public/***')
  expect(logged('/api/orgs/public/k7wp-q2mx?x=1')).toBe('/api/orgs/public/***')
  expect(logged('http://localhost:8080/public/orgs/K7WPQ2MX/')).toBe('/public/orgs/***')
  expect(logged('/public/orgs/K7WP%20Q2MX')).toBe('/public/orgs/***')
})

test('the log shows ids of organizations and other public paths', () => {
  for (const path of ['/api/orgs/public/by-id/17', '/api/orgs/17/members', '/public/qr/5f0c', '/api/orgs'])
    expect(logged(path)).toBe(path)
})
