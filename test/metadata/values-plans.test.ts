/** How SQLite reads values: by indexes that begin with the entity, or with field and owner, so that the values of others cost nothing. */

import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { withFixedPlan } from '#db/engine/sqlite.ts'
import type { Db } from '#db/store.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { createField, list, OPTIONS, put, search } from './values-helpers.ts'

interface Runner {
  rows(sql: string, params: unknown[]): unknown[][] | Promise<unknown[][]>
}

describe.if(inProcess && !process.env['TEST_DATABASE_URL'])('the plans of SQLite', () => {
  const { server, alice } = useServer({ people: ['alice'], noAdmin: true })

  const runnerOf = (db: Db): Runner => (db as Db & { runner: Runner }).runner

  /** The statements about a table that the server runs during `act`, with their parameters. */
  async function statementsOf(table: string, act: () => Promise<void>): Promise<Map<string, unknown[]>> {
    const statements = new Map<string, unknown[]>()
    const runners = [server.ctx.db.read, server.ctx.db.readInWorker].map(runnerOf)
    const originals = runners.map((runner) => runner.rows.bind(runner))
    for (const [i, runner] of runners.entries())
      runner.rows = (sql, params) => {
        if (sql.includes(table)) statements.set(sql, params)
        return originals[i]!(sql, params)
      }
    try {
      await act()
    } finally {
      for (const [i, runner] of runners.entries()) runner.rows = originals[i]!
    }
    return statements
  }

  /** On a connection of its own, with the placeholders as the server writes them. */
  function planOf(sql: string, params: unknown[]): string[] {
    using db = new Database(join(server.dataDir, 'tessera.db'), { readonly: true })
    const query = db.query<{ detail: string }, SQLQueryBindings[]>(`explain query plan ${withFixedPlan(sql)}`)
    return query.all(...(params as SQLQueryBindings[])).map((row) => row.detail)
  }

  test('a page of items that are found by a value is read by their ids', async () => {
    const object = 'asset'
    const field = await createField(alice, 'NUMBER', {}, { object })
    for (let i = 0; i < 25; i++) {
      const { id } = ok(await alice.call('assets.create', { body: { name: 'Projector' } })).data
      ok(await put(alice, id, [{ fieldId: field.id, value: i }], { object }))
    }
    const statements = await statementsOf('from "assets"', async () => {
      ok(await search(alice, { fieldId: field.id, size: 25 }, object))
    })
    const byIds = [...statements].filter(([sql]) => sql.includes('"assets"."id" in'))
    expect(byIds).toHaveLength(1)
    for (const [sql, params] of byIds)
      expect(planOf(sql, params)).toEqual(['SEARCH assets USING INTEGER PRIMARY KEY (rowid=?)'])
  })

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
    const statements = await statementsOf('meta_values', async () => {
      await list(alice, codes[0]!.id, { includeDeleted: true })
      for (const sort of ['value', '-value']) {
        for (const type of ['NUMBER', 'DATE', 'TEXT', 'SELECT', 'MULTI_SELECT', 'REF'])
          ok(await search(alice, { fieldId: field[type]!, sort }))
        ok(await search(alice, { fieldId: field['NUMBER']!, min: 0, max: 9, sort }))
        ok(await search(alice, { fieldId: field['TEXT']!, value: 'a', sort }))
        ok(await search(alice, { fieldId: field['SELECT']!, value: 'red,blue', sort }))
        ok(await search(alice, { fieldId: field['MULTI_SELECT']!, value: 'red', sort }))
      }
    })
    expect(statements.size).toBeGreaterThan(15)
    for (const [sql, params] of statements) {
      const plan = planOf(sql, params)
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
