/**
 * Random histories of several users, compared with a simple model in memory. A failure names its seed; `SEED=123 bun test
 * test/notifications/model.test.ts` repeats it.
 */

import { expect, test } from 'bun:test'

import { ok, type Person, useServer } from '../harness/index.ts'
import { counts, list, sendTo, whenSent } from './helpers.ts'

/** Pseudo-random integers below `below` from a seed: mulberry32. */
function randomOf(seed: number): (below: number) => number {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

interface Known {
  title: string
  read: boolean
}

const STEPS = 400

const { admin, alice, bob, carol, dan } = useServer({ people: ['alice', 'bob', 'carol', 'dan'] })

test('after every step of a random history, lists and counts equal those of a model in memory', async () => {
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
  const random = randomOf(seed)
  const people: Person[] = [alice, bob, carol, dan]
  /** Newest first. */
  const model = new Map<Person, Known[]>(people.map((person) => [person, []]))

  const check = async (person: Person, step: string) => {
    const known = model.get(person)!
    const context = `seed ${seed}, ${step}`
    const unread = known.filter((n) => !n.read)
    expect(await counts(person), context).toEqual({ total: known.length, unread: unread.length })
    const size = 1 + random(9)
    const page = 1 + random(4)
    const read = [undefined, true, false][random(3)]
    const type = random(2) === 0 ? ('SYSTEM' as const) : undefined
    const expected = read === undefined ? known : known.filter((n) => n.read === read)
    const found = await list(person, { page, size, ...(read !== undefined && { read }), ...(type && { type }) })
    expect(found.total, context).toBe(expected.length)
    expect(
      found.items.map(({ title, read }) => ({ title, read })),
      context,
    ).toEqual(expected.slice((page - 1) * size, page * size))
  }

  for (let i = 0; i < STEPS; i++) {
    const person = people[random(people.length)]!
    const known = model.get(person)!
    const at = random(Math.max(1, known.length))
    const params = async () => ({ id: (await list(person, { page: at + 1, size: 1 })).items[0]!.id })
    const title = `step ${i}`
    switch (random(known.length > 0 ? 8 : 3)) {
      case 0: {
        const some = people.filter(() => random(2) === 0)
        if (some.length === 0) break
        await sendTo(
          admin,
          some.map((each) => each.id),
          title,
        )
        for (const each of some) model.get(each)!.unshift({ title, read: false })
        break
      }
      case 1:
        await sendTo(admin, [person.id], title)
        known.unshift({ title, read: false })
        break
      case 2:
        if (random(4) > 0) break
        await whenSent(
          admin,
          ok(await admin.call('notifications.send', { body: { all: true, title, body: 'x' } })).data.id,
        )
        for (const each of people) model.get(each)!.unshift({ title, read: false })
        break
      case 3:
      case 4:
        ok(await person.call('notifications.read', { params: await params() }))
        known[at]!.read = true
        break
      case 5:
      case 6:
        ok(await person.call('notifications.delete', { params: await params() }))
        known.splice(at, 1)
        break
      case 7:
        if (random(5) > 0) break
        expect(ok(await person.call('notifications.readAll')).data.updated, `seed ${seed}, ${title}`).toBe(
          known.filter((n) => !n.read).length,
        )
        for (const each of known) each.read = true
    }
    await check(people[random(people.length)]!, title)
  }
  for (const person of people) await check(person, 'the end')
})
