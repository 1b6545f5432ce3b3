/** The words from which nicknames are generated, for administrators. */

import { describe, expect, test } from 'bun:test'

import { nicknameWords } from '#db/schema/accounts.ts'
import { MAX_WORDS } from '#domains/accounts/nicknames/nicknames.admin.model.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'

const { server, admin, alice } = useServer({ people: ['alice'] })

interface Word {
  id: number
  word: string
  locale: string
}

const LISTS = ['/api/admin/nickname/adjectives', '/api/admin/nickname/nouns'] as const
const all = async (path: string, query = {}): Promise<Word[]> => {
  const items: Word[] = []
  for (let page = 1; ; page++) {
    const { data } = ok(await admin.get(path, { ...query, size: 100, page }))
    items.push(...(data.items as Word[]))
    if (items.length === data.total) return items
  }
}
const newNickname = async (language: string): Promise<string> => {
  const headers = { 'accept-language': language, 'x-device-id': `device-${crypto.randomUUID()}` }
  return ok(await server.request('POST', '/api/auth/device-login', { headers, body: {} })).data.user.nickname as string
}

describe.each(LISTS)('%s', (path) => {
  const other = LISTS.find((each) => each !== path)!

  test('lists, adds, changes and deletes words, in the language of their script', async () => {
    const seeded = await all(path)
    expect(seeded).toHaveLength(120)
    const made = ok(await admin.post(path, { word: ' Dapper ' })).data
    expect(made).toEqual({ id: expect.any(Number), word: 'Dapper', locale: 'en', createdAt: expect.any(Number) })
    const chinese = ok(await admin.post(path, { word: '勤奋的' })).data
    expect(chinese.locale).toBe('zh')
    expect(ok(await admin.post(path, { word: 'OK的', locale: 'en' })).data.locale).toBe('en')
    expect((await all(path)).slice(1, 3).map(({ id }) => id)).toEqual([chinese.id, made.id])
    expect((await all(path, { locale: 'zh' })).map(({ id }) => id)).toContain(chinese.id)
    expect((await all(path, { locale: 'zh' })).every((word) => word.locale === 'zh')).toBe(true)
    expect(await all(path, { keyword: 'DAPP' })).toEqual([made])
    expect(await all(other, { keyword: 'DAPP' })).toEqual([])

    const changed = ok(await admin.put(`${path}/${made.id}`, { word: 'DAPPER' })).data
    expect(changed).toEqual({ ...made, word: 'DAPPER' })
    ok(await admin.put(`${path}/${made.id}`, { word: 'Sturdy' }))
    expect((await all(path, { keyword: 'sturdy' })).map(({ id }) => id)).toEqual([made.id])
    expect((await admin.put(`${other}/${made.id}`, { word: 'Wrong' })).status).toBe(404)
    expect((await admin.delete(`${other}/${made.id}`)).status).toBe(404)
    expect(ok(await admin.delete(`${path}/${made.id}`)).data).toBeNull()
    for (const gone of [made.id, 999_999_999]) {
      expect((await admin.delete(`${path}/${gone}`)).status).toBe(404)
      expect((await admin.put(`${path}/${gone}`, { word: 'Gone' })).status).toBe(404)
    }
    expect((await all(path)).length).toBe(seeded.length + 2)
  })

  test('refuses duplicates in the same list and language, and words that are too long, and changes nothing', async () => {
    const [taken, mine] = [await admin.post(path, { word: 'Brisk' }), await admin.post(path, { word: 'Crisp' })]
    const before = await all(path)
    const { id } = mine.data as Word
    const refused = [
      await admin.post(path, { word: 'BRISK' }),
      await admin.put(`${path}/${id}`, { word: 'brisk' }),
      await admin.post(path, { word: '' }),
      await admin.post(path, { word: '  ' }),
      await admin.post(path, { word: 'x'.repeat(21) }),
      await admin.post(path, { word: 'two\nlines' }),
      await admin.post(path, { word: 'Chic', locale: 'fr' }),
      await admin.post(path, {}),
      await admin.put(`${path}/${id}`, { word: null }),
      await admin.get(path, { locale: 'fr' }),
    ]
    expect(refused.map((reply) => reply.status)).toEqual(refused.map(() => 400))
    expect(await all(path)).toEqual(before)
    // The other language and the other list may have the word.
    ok(await admin.post(path, { word: 'Brisk', locale: 'zh' }))
    const both = await Promise.all(LISTS.map((list) => admin.post(list, { word: 'Chic' })))
    for (const [i, list] of LISTS.entries()) ok(await admin.delete(`${list}/${ok(both[i]!).data.id}`))
    ok(await admin.post(path, { word: 'x'.repeat(20) }))
    expect(taken.status).toBe(200)
  })

  test('adds a word once when several administrators send it, also to rows that are renamed', async () => {
    const made = await Promise.all(['One', 'Two', 'Three'].map((word) => admin.post(path, { word })))
    const send = (word: string, i: number) =>
      i < 3
        ? admin.put(`${path}/${made[i]!.data.id}`, { word })
        : admin.post(path, { word: i % 2 ? word : word.toUpperCase() })
    const replies = await race(8, (i) => send('Unique', i))
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, 400, 400, 400, 400, 400, 400, 400])
    expect(await all(path, { keyword: 'unique' })).toHaveLength(1)
    const { id } = (await all(path, { keyword: 'unique' }))[0]!
    const deleted = await race(4, () => admin.delete(`${path}/${id}`))
    expect(deleted.map((reply) => reply.status).toSorted()).toEqual([200, 404, 404, 404])
  })

  test('needs nickname_word:manage', async () => {
    const [{ id, word }] = (await all(path)) as [Word]
    const tries = (send: Person['send']) =>
      Promise.all([
        send('GET', path),
        send('POST', path, { body: { word: 'Sneaky' } }),
        send('PUT', `${path}/${id}`, { body: { word: 'Sneaky' } }),
        send('DELETE', `${path}/${id}`),
      ])
    expect((await tries(alice.send)).map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect((await tries(server.request)).map(({ status }) => status)).toEqual([401, 401, 401, 401])
    expect((await all(path))[0]).toMatchObject({ id, word })
  })
})

describe('generated nicknames', () => {
  test.if(inProcess)('stop growing their lists at the largest number of words of one language', async () => {
    const word = (i: number) => ({ locale: 'zh' as const, kind: 'NOUN' as const, word: `n${i}`, createdAt: i })
    const n = (await all(LISTS[1], { locale: 'zh' })).length
    await server.ctx.db.write('test', async (tx) => {
      for (let i = n; i < MAX_WORDS; i += 500)
        await tx
          .insert(nicknameWords)
          .values(Array.from({ length: Math.min(500, MAX_WORDS - i) }, (_, k) => word(i + k)))
    })
    expect((await admin.post(LISTS[1], { word: '再一个' })).status).toBe(400)
    ok(await admin.post(LISTS[1], { word: 'Another' }))
  })

  test('consist of the words of administrators at once, and still exist without any word', async () => {
    const [adjectives, nouns] = LISTS
    for (const path of LISTS)
      for (const { id } of await all(path, { locale: 'en' })) ok(await admin.delete(`${path}/${id}`))
    expect(await newNickname('en')).toMatch(/^User\d{6}$/)
    const { id } = ok(await admin.post(adjectives, { word: 'Plucky' })).data
    expect(await newNickname('en')).toMatch(/^User\d{6}$/)
    ok(await admin.post(nouns, { word: 'Teapot' }))
    expect(await newNickname('en')).toBe('Plucky Teapot')
    ok(await admin.put(`${adjectives}/${id}`, { word: 'Grumpy' }))
    expect(await newNickname('en')).toBe('Grumpy Teapot')
    ok(await admin.delete(`${adjectives}/${id}`))
    expect(await newNickname('en')).toMatch(/^User\d{6}$/)
  })
})
