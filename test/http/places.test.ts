/** The turns of users at places, without a server. */

import { describe, expect, test } from 'bun:test'

import { ONLY_PROCESS } from '#db/processes.ts'
import { AppError, limited } from '#http/errors.ts'
import { MAX_WAIT_MS, type Party, Places, type Work } from '#http/places.ts'
import { MINUTE, SECOND } from '#platform/clock.ts'

const REFUSALS = { own: limited('own', 'own', 10), others: limited('others', 'others', 10) }

function world(maxOpen = 50) {
  let now = 1_000_000
  const lifecycle = { startedAt: 0, leaving: false, draining: false }
  const ctx = { clock: { now: () => now }, lifecycle, processes: ONLY_PROCESS }
  const places = new Places(ctx, REFUSALS, maxOpen)
  /** Names of the works in the order in which they got a place. */
  const started: string[] = []
  const leaving = new Map<string, () => void>()
  const users = new Map<string, number>()
  const settled = () => new Promise<void>((go) => setImmediate(go))
  const userOf = (name: string) => users.get(name) ?? users.set(name, users.size + 1).get(name)!

  const party = (name: string, more: Partial<Party> = {}): Party => ({
    userId: userOf(name),
    isAdministrator: name.startsWith('admin'),
    ...more,
  })
  /** Asks for a place, which the work holds until `leave(name)`. */
  async function ask(name: string, rows = Infinity, more: Partial<Party> = {}, patienceMs = MAX_WAIT_MS) {
    const work = places.open(party(name, more), rows)
    return { work, ...(await again(name, work, patienceMs)) }
  }
  async function again(name: string, work: Work, patienceMs = MAX_WAIT_MS) {
    let outcome: unknown = 'waiting'
    work
      .run(async () => {
        started.push(name)
        outcome = 'running'
        await new Promise<void>((go) => leaving.set(name, go))
        return 'done'
      }, patienceMs)
      .then(
        (value) => (outcome = value),
        (error: unknown) => (outcome = error instanceof AppError ? `${error.status} ${error.text.en}` : error),
      )
    await settled()
    return { outcome: () => outcome }
  }
  async function leave(name: string) {
    leaving.get(name)!()
    await settled()
  }
  return { ctx, places, started, ask, again, leave, party, settled, advance: (ms: number) => void (now += ms) }
}

describe('places', () => {
  test('two works of any size run at once, beside them a small one and one of an administrator', async () => {
    const { ask, started } = world()
    for (const name of ['large 1', 'large 2', 'large 3']) await ask(name)
    await ask('999 rows', 999)
    await ask('1000 rows', 1000)
    await ask('second small', 5)
    await ask('admin')
    await ask('second admin')
    expect(started).toEqual(['large 1', 'large 2', '999 rows', 'admin'])
  })

  test('works take the places that are kept for them first', async () => {
    const { ask, started } = world()
    for (const name of ['admin', 'small', 'large 1', 'large 2']) await ask(name, name === 'small' ? 1 : Infinity)
    expect(started).toHaveLength(4)
  })

  test.each<[string, [name: string, rows: number][], string[]]>([
    [
      'in the order in which they came',
      [
        ['c', 5000],
        ['a', 5000],
        ['b', 5000],
      ],
      ['c', 'a', 'b'],
    ],
    [
      'the smallest first',
      [
        ['c', 9000],
        ['a', 5000],
        ['b', 7000],
      ],
      ['a', 'b', 'c'],
    ],
    [
      'users who had a place in the last minute after the others',
      [
        ['one', 2000],
        ['b', 9000],
      ],
      ['b', 'one'],
    ],
    [
      'the one whose last turn is the longest ago first',
      [
        ['two', 2000],
        ['one', 9000],
      ],
      ['one', 'two'],
    ],
    [
      'unknown sizes last',
      [
        ['a', Infinity],
        ['b', 90_000],
      ],
      ['b', 'a'],
    ],
  ])('waiting works start %s', async (_, waiting, order) => {
    const { ask, again, leave, started, places, party } = world()
    // `one` and `two` had their turns, and ask again while two others work.
    for (const name of ['one', 'two']) {
      const { work } = await ask(name)
      await leave(name)
      work.close()
    }
    const busy = [await ask('busy 1'), await ask('busy 2')]
    for (const [name, rows] of waiting) await again(name, places.open(party(name), rows))
    started.length = 0
    await leave('busy 1')
    for (const name of order) {
      expect(started.at(-1)).toBe(name)
      await leave(name)
    }
    expect(started).toEqual(order)
    expect(busy[1]!.outcome()).toBe('running')
  })

  test('a turn of more than a minute ago does not count', async () => {
    const { ask, leave, started, advance } = world()
    const { work } = await ask('old')
    await leave('old')
    work.close()
    for (const name of ['busy 1', 'busy 2']) await ask(name)
    advance(MINUTE)
    await ask('old', 2000)
    await ask('new', 3000)
    await leave('busy 1')
    expect(started.at(-1)).toBe('old')
  })

  test('users who repeat large works delay another one by one work at most', async () => {
    const { ask, again, leave, started } = world()
    const repeating = new Map<string, Work>()
    for (let i = 0; i < 20; i++) repeating.set(`r${i}`, (await ask(`r${i}`)).work)
    // All of them have had a turn, and ask again.
    for (let i = 0; i < 20; i++) {
      await leave(`r${i}`)
      await again(`r${i}`, repeating.get(`r${i}`)!)
    }
    await ask('honest')
    await leave(started.at(-1)!)
    expect(started.at(-1)).toBe('honest')
  })

  test('pieces of two works alternate with those of others', async () => {
    const { ask, again, leave, started } = world()
    const works = new Map<string, Work>()
    for (const name of ['a', 'b', 'c', 'd']) works.set(name, (await ask(name)).work)
    for (let i = 0; i < 10; i++) {
      const name = started.at(-1)!
      await leave(name)
      await again(name, works.get(name)!, Infinity)
    }
    const counts = ['b', 'c', 'd'].map((name) => started.filter((one) => one === name).length)
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
  })
})

describe('waiting', () => {
  test('ends with 429 after 15 seconds, and not before', async () => {
    const { ask, advance, places, settled } = world()
    await ask('one')
    await ask('two')
    const late = await ask('late')
    const patient = await ask('patient', Infinity, {}, Infinity)
    advance(15 * SECOND - 1)
    places.sweep()
    await settled()
    expect(late.outcome()).toBe('waiting')
    advance(1)
    places.sweep()
    await settled()
    expect([late.outcome(), patient.outcome()]).toEqual(['429 others', 'waiting'])
  })

  test('ends with 503 when the server stops, but not for answers that have begun', async () => {
    const { ctx, ask, places, settled } = world()
    await ask('one')
    await ask('two')
    const request = await ask('request')
    const answer = await ask('answer', Infinity, {}, Infinity)
    ctx.lifecycle.draining = true
    places.sweep()
    await settled()
    expect([request.outcome(), answer.outcome()]).toEqual(['503 The server is shutting down', 'waiting'])
  })

  test.each(['disconnects', 'is closed'])('ends when the client %s, and the next one gets the place', async (how) => {
    const { ask, leave, started, settled } = world()
    const client = new AbortController()
    await ask('one')
    await ask('two')
    const gone = await ask('gone', Infinity, { signal: client.signal })
    if (how === 'disconnects') client.abort()
    else gone.work.close()
    await settled()
    expect(gone.outcome()).toBe('429 others')
    await ask('next')
    await leave('one')
    expect(started).toEqual(['one', 'two', 'next'])
  })

  test('does not begin for a client that has disconnected already', async () => {
    const { ask, started } = world()
    expect((await ask('gone', 1, { signal: AbortSignal.abort() })).outcome()).toBe('429 others')
    expect(started).toEqual([])
  })

  test('a work that fails gives its place back', async () => {
    const { places, party, ask, started } = world()
    for (const name of ['a', 'b', 'c', 'd']) {
      const failing = places.open(party(name)).run(() => Promise.reject(new Error('broken')))
      await expect(failing).rejects.toThrow('broken')
    }
    for (const name of ['one', 'two']) await ask(name)
    expect(started).toEqual(['one', 'two'])
  })
})

describe('open works', () => {
  test('a user has one at a time, also while it waits, and the next one when what runs of it has ended', async () => {
    const { places, party, ask, leave } = world()
    const { work } = await ask('a')
    expect(() => places.open(party('a'))).toThrow(REFUSALS.own)
    work.close()
    // It still works for the client that has gone.
    expect(() => places.open(party('a'))).toThrow(REFUSALS.own)
    await leave('a')
    const next = places.open(party('a'))
    // A work that was closed before must not end the next one.
    work.close()
    expect(() => places.open(party('a'))).toThrow(REFUSALS.own)
    next.close()
    places.open(party('a'))
  })

  test('when there are too many, the reader that has taken nothing for the longest time is cut off', async () => {
    const { places, party, advance } = world(3)
    const cut: string[] = []
    const read = (name: string): Work => {
      const work = places.open(party(name))
      work.cutOff = () => {
        cut.push(name)
        work.close()
      }
      return work
    }
    const slow = read('slow')
    advance(SECOND)
    read('stalled')
    advance(SECOND)
    read('other')
    advance(4 * SECOND - 1)
    // It takes a piece now and then.
    await slow.run(async () => {})
    expect(() => places.open(party('new'))).toThrow(REFUSALS.others)
    expect(cut).toEqual([])
    advance(1)
    read('new')
    expect(cut).toEqual(['stalled'])
    advance(4 * SECOND)
    read('newer')
    expect(cut).toEqual(['stalled', 'other'])
  })

  test('works that run, that wait or that have no reader are never cut off', async () => {
    const { ask, places, party, advance } = world(4)
    for (const name of ['a', 'b', 'waits'])
      (await ask(name, Infinity, {}, Infinity)).work.cutOff = () => expect.unreachable()
    places.open(party('no reader'))
    advance(MINUTE)
    expect(() => places.open(party('new'))).toThrow(REFUSALS.others)
  })

  test('administrators have room when others have taken all of it', () => {
    const { places, party } = world(2)
    for (const name of ['a', 'b']) places.open(party(name))
    expect(() => places.open(party('c'))).toThrow(REFUSALS.others)
    for (let i = 0; i < 10; i++) places.open(party(`admin ${i}`))
    expect(() => places.open(party('admin 10'))).toThrow(REFUSALS.others)
  })
})
