/** Logged operations add exactly one row with the difference, whose fields the web application can label, and none if they are refused or change nothing. */

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { allEndpoints } from '#app'

import { ok, useServer } from '../harness/index.ts'
import { LOGGED } from './fixtures.ts'

const { server, admin } = useServer()

const cases = new Map(LOGGED.flatMap((fixture) => Object.entries(fixture)))
const operations = allEndpoints.filter(({ id }) => cases.has(id))

/** Labels of fields in the web application, whose modules need a browser. */
const webLabels = ['fields', 'log-words']
  .flatMap((name) => [
    ...readFileSync(resolve(import.meta.dir, `../../src/web/i18n/${name}.ts`), 'utf8').matchAll(/^  (\w+): \{ en:/gm),
  ])
  .map(([, name]) => name)

const newest = async () => ok(await admin.call('operationLog.list', { query: { size: 100 } })).data

describe('the operation log', () => {
  for (const { id, logs } of operations)
    test(`records ${id} once, and nothing if it is refused`, async () => {
      const { call, row, refused, unchanged } = await cases.get(id)!({ server, admin })
      const { total } = await newest()
      const reply = ok(await call())
      const { items, total: after } = await newest()
      expect(after).toBe(total + 1)
      const expected = {
        action: logs!,
        actorId: admin.id,
        targetId: typeof row.targetId === 'function' ? row.targetId(reply) : row.targetId,
        targetName: row.targetName,
        before: row.before,
        after: typeof row.after === 'function' ? row.after(reply) : row.after,
      }
      expect(items[0] as object).toMatchObject(expected)
      expect({ before: items[0]!.before, after: items[0]!.after } as object).toEqual({
        before: expected.before,
        after: expected.after,
      })
      // Settings are labelled by the server.
      const changed = [items[0]!.before, items[0]!.after].flatMap((fields) => Object.keys(fields ?? {}))
      expect(changed.filter((name) => !name.includes('.') && !webLabels.includes(name))).toEqual([])
      expect(refused.length).toBeGreaterThan(0)
      for (const send of refused) expect([400, 403, 404]).toContain((await send()).status)
      if (unchanged) ok(await unchanged())
      expect((await newest()).total).toBe(total + 1)
    })
})

/**
 * The server ends with them, or needs a certificate: test/ops/restore-in-browser.test.ts, test/ops/restart.test.ts and
 * test/server/certificate.test.ts read their rows.
 */
const ELSEWHERE = ['restores.start', 'restores.undo', 'server.certificate.renew', 'server.restart']

test('every operation with `logs` has a case in the file logged.ts of its domain', () => {
  const logged = allEndpoints.filter(({ logs }) => logs !== undefined).map(({ id }) => id)
  expect([...cases.keys(), ...ELSEWHERE].toSorted()).toEqual(logged.toSorted())
})
