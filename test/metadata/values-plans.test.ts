/** How SQLite reads values: by indexes that begin with the entity, or with field and owner, so that the values of others cost nothing. */

import { describe, expect, test } from 'bun:test'

import type { Db } from '#db/store.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { createField, list, OPTIONS, put, search } from './values-helpers.ts'

interface Runner {
  rows(sql: string, params: unknown[]): unknown[][] | Promise<unknown[][]>
}

describe.if(inProcess && !process.env['TEST_DATABASE_URL'])('the plans of SQLite', () => {
  const { server, alice } = useServer({ people: ['alice'], noAdmin: true })

  test('reading, searching and filtering values looks up indexes, and sorts nothing but options', async () => {
    const codes = [await createCode(alice), await createCode(alice)]
    const config = { NUMBER: {}, DATE: {}, TEXT: {}, SELECT: OPTIONS, MULTI_SELECT: OPTIONS, REF: { target: 'USER' } }
    const field: Record<string, number> = {}
    for (const [type, given] of Object.entries(config))
      field[type] = (await createField(alice, type as keyof typeof config, given)).id
    for (const { id } of codes)
      ok(
        await put(alice, id, [
          { fieldId: field['NUMBER']!, value: 1 },
          { fieldId: field['TEXT']!, value: 'a' },
          { fieldId: field['MULTI_SELECT']!, value: ['red', 'blue'] },
        ]),
      )
    const statements = new Map<string, unknown[]>()
    const runners = [server.ctx.db.read, server.ctx.db.readInWorker].map((db) => (db as Db & { runner: Runner }).runner)
    const originals = runners.map((runner) => runner.rows.bind(runner))
    for (const [i, runner] of runners.entries())
      runner.rows = (sql, params) => {
        if (sql.includes('meta_values')) statements.set(sql, params)
        return originals[i]!(sql, params)
      }
    try {
      await list(alice, codes[0]!.id, { includeDeleted: true })
      for (const sort of ['value', '-value']) {
        for (const type of ['NUMBER', 'DATE', 'TEXT', 'SELECT', 'MULTI_SELECT', 'REF'])
          ok(await search(alice, { fieldId: field[type]!, sort }))
        ok(await search(alice, { fieldId: field['NUMBER']!, min: 0, max: 9, sort }))
        ok(await search(alice, { fieldId: field['TEXT']!, value: 'a', sort }))
        ok(await search(alice, { fieldId: field['SELECT']!, value: 'red,blue', sort }))
        ok(await search(alice, { fieldId: field['MULTI_SELECT']!, value: 'red', sort }))
      }
    } finally {
      for (const [i, runner] of runners.entries()) runner.rows = originals[i]!
    }
    expect(statements.size).toBeGreaterThan(15)
    for (const [sql, params] of statements) {
      const plan = (await originals[0]!(`explain query plan ${sql}`, params)).map((row) => String(row[3]))
      const isGrouped = /group by|distinct/.test(sql)
      for (const step of plan) {
        expect(`${step}: ${sql}`).not.toMatch(isGrouped ? /^SCAN meta_values/ : /^(SCAN meta_values|USE TEMP B-TREE)/)
        if (step.startsWith('SEARCH meta_values'))
          expect(`${step}: ${sql}`).toMatch(
            /INDEX (meta_values_entity \(object_name=\? AND entity_id=\?|meta_values_number \(field_id=\? AND owner=\?|meta_values_key \(owner=\? AND field_id=\?)/,
          )
      }
    }
  })
})
