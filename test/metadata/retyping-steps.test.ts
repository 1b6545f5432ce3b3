/** Reading all values of a field in steps before its type changes, and noting those that are written meanwhile. */

import { describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import { metaValues } from '#db/schema/meta.ts'
import type { FieldView } from '#domains/metadata/fields/fields.model.ts'
import { findField } from '#domains/metadata/fields/fields.store.ts'
import { compareValues } from '#domains/metadata/fields/retyping.service.ts'
import { nextFirstParts } from '#domains/metadata/fields/retyping.store.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { createField, createGlobalField } from './helpers.ts'
import { set } from './values-helpers.ts'

const objectName = 'qrCode'
const place = { objectName }

describe.if(inProcess)('the steps of changing a type', () => {
  const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

  const put = (user: Person, field: FieldView, body: object) =>
    user.put(`/api/meta/objects/${objectName}/fields/${field.id}`, body)
  const rowsOf = (field: FieldView) =>
    server.ctx.db.read
      .select()
      .from(metaValues)
      .where(and(eq(metaValues.fieldId, field.id)))
      .orderBy(metaValues.entityId)

  /** Stores texts for entities that do not exist, faster than requests would. */
  async function insertTexts(
    field: FieldView,
    texts: readonly string[],
    ownerOf: (i: number) => number = () => -alice.id,
  ) {
    for (let i = 0; i < texts.length; i += 1000)
      await server.ctx.db.write('test.insertTexts', async (tx) => {
        const rows = texts.slice(i, i + 1000).map((text, j) => ({
          objectName,
          entityId: 1_000_000 + i + j,
          fieldId: field.id,
          owner: ownerOf(i + j),
          text,
          key: text.toLowerCase(),
        }))
        await tx.insert(metaValues).values(rows)
      })
  }

  test('each value of many owners is read once, in steps that begin where the last one ended', async () => {
    const field = await createGlobalField(admin, {}, objectName)
    const texts = Array.from({ length: 2500 }, (_, i) => `text ${i % 7}`)
    // One user with most values, and many with one each.
    await insertTexts(field, texts, (i) => (i < 2000 ? -bob.id : -1000 - i))
    const seen: number[] = []
    let after
    for (;;) {
      const rows = await nextFirstParts(server.ctx.db.read, field.id, after, 300)
      seen.push(...rows.map(({ entityId }) => entityId))
      after = rows.at(-1)
      if (rows.length < 300) break
    }
    expect(seen).toHaveLength(2500)
    expect(new Set(seen).size).toBe(2500)
    const refused = await admin.put(`/api/admin/meta/fields/${field.id}`, { type: 'NUMBER' })
    expect(refused.details[0]!.message).toContain('2500 values')
    ok(await admin.put(`/api/admin/meta/fields/${field.id}`, { type: 'TEXTAREA' }))
  })

  test('numbers are read in steps too', async () => {
    const field = await createField(alice, { type: 'NUMBER' }, place)
    await server.ctx.db.write('test.insertNumbers', async (tx) => {
      const rows = Array.from({ length: 700 }, (_, i) => ({ entityId: 5_000_000 + i, number: i % 3, owner: -alice.id }))
      await tx.insert(metaValues).values(rows.map((row) => ({ ...row, objectName, fieldId: field.id })))
    })
    const seen = new Set<number>()
    let after
    for (;;) {
      const rows = await nextFirstParts(server.ctx.db.read, field.id, after, 100)
      for (const { entityId } of rows) seen.add(entityId)
      after = rows.at(-1)
      if (rows.length < 100) break
    }
    expect(seen.size).toBe(700)
  })

  test('a value that is written while the others are compared is compared too', async () => {
    const field = await createField(alice, {}, place)
    const [before, during] = [await createCode(alice), await createCode(alice)]
    await set(alice, before.id, field.id, '1')
    const row = (await findField(server.ctx.db.read, field.id))!
    const comparison = await compareValues(server.ctx, row, { type: 'NUMBER', config: {} })
    await set(alice, during.id, field.id, 'not a number')
    expect([...comparison.written]).toEqual([during.id])
    comparison.end()
    await set(alice, before.id, field.id, '2')
    expect([...comparison.written]).toEqual([during.id])
  })

  test('of two parallel changes to different types, the stored values fit the type that remains', async () => {
    for (let round = 0; round < 5; round++) {
      const field = await createField(alice, {}, place)
      await set(alice, (await createCode(alice)).id, field.id, '2026-03-01')
      const replies = await Promise.all([
        put(alice, field, { type: 'DATE' }),
        put(alice, field, { type: 'SELECT', config: { options: ['2026-03-01'] } }),
      ])
      const won = replies.filter(({ status }) => status === 200)
      expect(won.length).toBeGreaterThanOrEqual(1)
      const type = (await findField(server.ctx.db.read, field.id))!.type
      const [value] = await rowsOf(field)
      expect(type === 'DATE' ? value!.number : value!.key).toBe(type === 'DATE' ? 20_513 : '2026-03-01')
    }
  })
})
