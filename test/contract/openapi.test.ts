import { expect, test } from 'bun:test'

import { allEndpoints } from '#app'

import { snapshot, snapshotPath } from '../../scripts/openapi.ts'
import { calledInWebApp, limitsOf, operationsOf } from '../../scripts/web-client.ts'
import { LIMITS } from '../../src/web/api/limits.gen.ts'
import { OPERATIONS } from '../../src/web/api/operations.gen.ts'

/** JSON pointers of the values in which two documents differ, without those below them. */
function differences(a: unknown, b: unknown, at = ''): string[] {
  if (Object.is(a, b)) return []
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return [at]
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((key) =>
    differences(left[key], right[key], `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
}

test('test/contract/openapi.json is the API document of this version', async () => {
  const [now, committed] = [snapshot(), await Bun.file(snapshotPath).text()]
  const changed = differences(JSON.parse(now), JSON.parse(committed))
  if (now !== committed)
    throw new Error(
      `The interface changed in ${changed.length} places:\n${changed.slice(0, 20).join('\n')}\n` +
        'If that is intended, run `bun run openapi`, read the diff and commit it.',
    )
})

const called = calledInWebApp()
const ofCalled = <T>(rows: Readonly<Record<string, T>>) =>
  Object.fromEntries(Object.entries(rows).filter(([id]) => called.has(id)))

test('src/web/api/operations.gen.ts contains the operations of this version that the web application calls', () => {
  expect(OPERATIONS as object).toEqual(ofCalled(operationsOf(allEndpoints)))
})

test('src/web/api/limits.gen.ts contains their limits', () => {
  const limits = limitsOf(JSON.parse(snapshot()))
  expect(LIMITS).toEqual(ofCalled(limits))
  expect(limits['orgs.create']).toContain('name! length=100, ')
  expect(limits['orgs.create']).toContain('visibility choices=PUBLIC|INTERNAL')
})

test('a change of the interface is reported by its place in the document', () => {
  const before = { paths: { '/api/a': { get: { summary: 'Get A', tags: ['A'] } } } }
  const after = { paths: { '/api/a': { get: { summary: 'Get a', tags: ['A'] } }, '/b': {} } }
  expect(differences(before, after)).toEqual(['/paths/~1api~1a/get/summary', '/paths/~1b'])
  expect(differences(before, structuredClone(before))).toEqual([])
})
