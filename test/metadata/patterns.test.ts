import { describe, expect, test } from 'bun:test'

import { metaFields, metaObjects } from '#db/schema/meta.ts'
import { checkValues } from '#domains/metadata/index.ts'
import { checkConfig } from '#domains/metadata/types/types.rules.ts'

import { inProcess, useServer } from '../harness/index.ts'
import { createField, refusal } from './helpers.ts'

const { server, alice } = useServer({ people: ['alice'] })

const OBJECT = 'measured'
/** 2,002 instructions. With a text of 1,000 characters these are 2 million steps. */
const PATTERN = '(?:[ab]?){1000}'
const TEXT = 'ab'.repeat(500)

// Also against the executable, into which re2js has to be built.
test('a field accepts a pattern in RE2 syntax and refuses others, with the reason in the language of the caller', async () => {
  const field = await createField(alice, { type: 'TEXT', config: { pattern: String.raw`\p{Han}{2,4}|[A-Z]+-\d+` } })
  expect(field.config).toEqual({ pattern: String.raw`\p{Han}{2,4}|[A-Z]+-\d+` })
  const create = (config: object, headers = {}) =>
    alice.send('POST', '/api/meta/objects/asset/fields', { body: { name: 'x', type: 'TEXT', config }, headers })
  for (const pattern of ['(?=a)', String.raw`(a)\1`, '[', '(?:a{100}){100}', 'a'.repeat(501)])
    expect(refusal(await create({ pattern }))).toBe('400 body.config.pattern')
  expect(refusal(await create({ pattern: '[0-9]+', default: 'abc' }))).toBe('400 body.config.default')
  expect((await create({ pattern: '(?=a)' }, { 'accept-language': 'zh' })).details[0]!.message).toContain('环视')
})

describe.if(inProcess)('the steps of patterns', () => {
  test('are limited for the values of one entity and for all values that are checked at once', async () => {
    const { ctx } = server
    const owner = { userId: alice.id, orgId: 0 }
    const ids = await ctx.db.write('test.fields', async (tx) => {
      const times = { createdAt: tx.stamp, updatedAt: tx.stamp }
      await tx.insert(metaObjects).values({ name: OBJECT, label: 'Measured', createdAt: tx.stamp })
      const fields = await tx
        .insert(metaFields)
        .values(
          Array.from({ length: 6 }, (_, i) => ({
            ...times,
            objectName: OBJECT,
            owner: -alice.id,
            key: `k${i}`,
            name: `Field ${i}`,
            type: 'TEXT' as const,
            config: checkConfig('TEXT', i === 5 ? {} : { pattern: PATTERN }),
          })),
        )
        .returning({ id: metaFields.id })
      return fields.map(({ id }) => id)
    })
    const item = (count: number, text: string, path = 'body.values') => ({
      entity: undefined,
      values: ids.slice(0, count).map((fieldId) => ({ fieldId, value: text })),
      path,
    })
    const problems = async (items: ReturnType<typeof item>[]) => {
      const checked = await checkValues(ctx, ctx.db.read, owner, OBJECT, items)
      return checked.problems.map(({ path, text }) => `${path}: ${text.en}`)
    }
    const refusal = 'is too long to be compared with the patterns of so many fields: write fewer values at once'
    expect(await problems([item(4, TEXT)])).toEqual([])
    // The fifth pattern exceeds 10 million steps; the values after it are refused too.
    expect(await problems([item(6, TEXT)])).toEqual([
      `body.values.4.value: ${refusal}`,
      `body.values.5.value: ${refusal}`,
    ])
    expect(await problems([item(6, 'ab')])).toEqual([])
    const rows = Array.from({ length: 14 }, (_, i) => item(4, TEXT, `rows.${i}`))
    let turns = 0
    let ended = false
    const count = () => {
      turns += 1
      if (!ended) setImmediate(count)
    }
    setImmediate(count)
    const refused = await problems(rows)
    ended = true
    // Other requests run between two of the 49 texts.
    expect(turns).toBeGreaterThan(40)
    // 49 texts of 2,002,000 steps are below 100 million.
    expect(refused.length).toBe(14 * 4 - 49)
    expect(refused[0]).toBe(`rows.12.1.value: ${refusal}`)
    expect(await problems(Array.from({ length: 500 }, (_, i) => item(6, 'abab', `rows.${i}`)))).toEqual([])
  })
})
