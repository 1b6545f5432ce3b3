import { expect, test } from 'bun:test'

import { allEndpoints } from '#app'

import { contractPath } from '../contract/table.ts'
import { operations } from './operations.ts'

test('every endpoint of the interface asks for what operations.tsv, and so docs/permissions.md, says', () => {
  const told = new Map(operations.map((o) => [`${o.method} ${o.path}`, `${o.kind} ${o.point}`.trim()]))
  const both = allEndpoints.flatMap((endpoint) => {
    const key = `${endpoint.method} ${contractPath(endpoint)}`
    const { access } = endpoint
    const asked = 'point' in access ? `${access.kind} ${access.point}` : access.kind
    return told.has(key) ? [{ asked: `${key}: ${asked}`, told: `${key}: ${told.get(key)}` }] : []
  })
  expect(both.length).toBeGreaterThan(0)
  expect(both.map((each) => each.asked)).toEqual(both.map((each) => each.told))
})
