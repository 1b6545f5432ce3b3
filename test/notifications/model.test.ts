import { expect, test } from 'bun:test'

import { type Person, startServer } from '../harness/index.ts'
import { counts, list, ok, whenSent } from './helpers.ts'

/** Numbers from a seed, so that a failure can be run again: mulberry32. */
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

/** Random histories of several people against lists in memory. */
test('whatever happens, lists and counts are those of a simple model', async () => {
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
  const random = randomOf(seed)
  const server = await startServer()
  const admin = await server.admin()
  const people: Person[] = []
  for (let i = 0; i < 4; i++) people.push(await server.person())
  /** The newest first. */
  const model = new Map<Person, Known[]>(people.map((who) => [who, []]))

  const check = async (who: Person, step: string) => {
    const known = model.get(who)!
    const what = `seed ${seed}, ${step}`
    const unread = known.filter((n) => !n.read)
    expect(await counts(who), what).toEqual({ total: known.length, unread: unread.length })
    const size = 1 + random(9)
    const page = 1 + random(4)
    const filter = [undefined, true, false][random(3)]
    const query: Record<string, string | number | boolean> = { page, size }
    if (filter !== undefined) query['read'] = filter
    if (random(2) === 0) query['type'] = 'SYSTEM'
    const wanted = filter === undefined ? known : known.filter((n) => n.read === filter)
    const got = await list(who, query)
    expect(got.total, what).toBe(wanted.length)
    expect(
      got.items.map(({ title, read }) => ({ title, read })),
      what,
    ).toEqual(wanted.slice((page - 1) * size, page * size))
  }

  for (let i = 0; i < STEPS; i++) {
    const who = people[random(people.length)]!
    const known = model.get(who)!
    const at = random(Math.max(1, known.length))
    const id = async () => (await list(who, { page: at + 1, size: 1 })).items[0]!.id
    const title = `step ${i}`
    switch (random(known.length > 0 ? 8 : 3)) {
      case 0: {
        const some = people.filter(() => random(2) === 0)
        if (some.length === 0) break
        ok(await admin.post('/api/notifications', { userIds: some.map((p) => p.id), title, body: 'x' }))
        for (const each of some) model.get(each)!.unshift({ title, read: false })
        break
      }
      case 1:
        ok(await admin.post('/api/notifications', { userIds: [who.id], title, body: 'x' }))
        known.unshift({ title, read: false })
        break
      case 2:
        if (random(4) > 0) break
        await whenSent(admin, ok(await admin.post('/api/notifications', { all: true, title, body: 'x' })).data.id)
        for (const each of people) model.get(each)!.unshift({ title, read: false })
        break
      case 3:
      case 4:
        ok(await who.patch(`/api/notifications/${await id()}/read`))
        known[at]!.read = true
        break
      case 5:
      case 6:
        ok(await who.delete(`/api/notifications/${await id()}`))
        known.splice(at, 1)
        break
      case 7:
        if (random(5) > 0) break
        expect(ok(await who.patch('/api/notifications/read-all')).data.updated, `seed ${seed}, ${title}`).toBe(
          known.filter((n) => !n.read).length,
        )
        for (const each of known) each.read = true
    }
    await check(people[random(people.length)]!, title)
  }
  for (const who of people) await check(who, 'the end')
  await server.stop()
})
