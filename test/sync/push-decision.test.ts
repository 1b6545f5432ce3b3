/** Which of two changes of one row wins: every combination of version, time, state of the row, change and forced mapping. */

import { describe, expect, test } from 'bun:test'

import { decide } from '#domains/sync/push/push.rules.ts'

import { ok, type Person, useServer } from '../harness/index.ts'
import { conflictsOf, newCode, otherDevice, push, pushOne, record, resolve, untilAfter } from './push-helpers.ts'

const BASES = ['equal', 'older', 'unknown'] as const
const TIMES = ['earlier', 'equal', 'later'] as const
const PLACES = ['live', 'in the trash', 'purged'] as const
const CHANGES = ['update', 'deletion'] as const

interface Case {
  readonly base: (typeof BASES)[number]
  readonly time: (typeof TIMES)[number]
  readonly place: (typeof PLACES)[number]
  readonly change: (typeof CHANGES)[number]
  /** The user has rejected the server's state before. It counts with `baseVersion` 0, which is "unknown" here. */
  readonly isForced: boolean
}

const cases: Case[] = BASES.flatMap((base) =>
  TIMES.flatMap((time) =>
    PLACES.flatMap((place) =>
      CHANGES.flatMap((change) => [false, true].map((isForced) => ({ base, time, place, change, isForced }))),
    ),
  ),
)

/** `status`, and the winner of the conflict if there is one. */
function expected({ base, time, place, change, isForced }: Case): ['APPLIED' | 'CONFLICT', 'CLIENT' | 'SERVER' | null] {
  if (change === 'deletion' && place !== 'live') return ['APPLIED', null]
  if (base === 'equal' || (isForced && base === 'unknown')) return ['APPLIED', null]
  return time === 'later' ? ['APPLIED', 'CLIENT'] : ['CONFLICT', 'SERVER']
}

const { server, alice } = useServer({ people: ['alice'] })

/** Another device of the user changes the row so that it is as the case says. Returns the version and time of its state. */
async function arrange(phone: Person, tablet: Person, { place, isForced }: Case) {
  const created = await push(phone, newCode('first', { localId: `row of ${crypto.randomUUID()}` }))
  const { serverId, localId } = created[0]!
  const of = { entity: 'qrCode', serverId: serverId!, localId }
  await untilAfter(server, created[0]!.updatedAt!)
  let state = await pushOne(tablet, { ...of, baseVersion: 1, data: { name: 'of the tablet' } })
  expect(state).toMatchObject({ status: 'APPLIED', version: 2 })
  if (isForced) {
    const lost = await pushOne(phone, { ...of, baseVersion: 1, updatedAt: 1, data: { name: 'lost' } })
    expect(lost.status).toBe('CONFLICT')
    expect(ok(await resolve(phone, lost.conflictId!, false)).data.version).toBe(0)
  }
  if (place !== 'live') {
    state = await pushOne(tablet, { ...of, baseVersion: 2, deleted: true })
    expect(state).toMatchObject({ status: 'APPLIED', version: 3 })
  }
  if (place === 'purged') ok(await tablet.delete('/api/qr-codes/trash'))
  return { serverId: serverId!, localId, version: state.version!, updatedAt: state.updatedAt! }
}

describe.each(cases)('a push of a $change with an $base version and an $time time to a row that is $place', (one) => {
  const { base, time, change, isForced } = one
  test(isForced ? 'after the server state was rejected' : 'without a resolved conflict', async () => {
    const tablet = await tabletOf(alice)
    const row = await arrange(alice, tablet, one)
    await untilAfter(server, row.updatedAt)
    const before = await conflictsOf(alice, { status: 'ALL' })
    const baseVersion = { equal: row.version, older: row.version - 1, unknown: 0 }[base]
    const updatedAt = row.updatedAt + { earlier: -1, equal: 0, later: 1 }[time]
    const data = { name: 'of the phone', content: 'pushed' }
    const pushed = record({
      entity: 'qrCode',
      serverId: row.serverId,
      localId: row.localId,
      baseVersion,
      updatedAt,
      ...(change === 'deletion' ? { deleted: true } : { data }),
    })
    const [result] = await push(alice, pushed)
    const [status, winner] = expected(one)
    expect(result!.status).toBe(status)
    const isChange = status === 'APPLIED' && !(change === 'deletion' && one.place !== 'live')
    expect(result!.version).toBe(row.version + (isChange ? 1 : 0))
    expect(result!.serverId).toBe(row.serverId)

    const conflicts = (await conflictsOf(alice, { status: 'ALL' })).filter(
      ({ id }) => !before.some((other) => other.id === id),
    )
    expect(conflicts.map((conflict) => [conflict.winner, conflict.id])).toEqual(
      winner === null ? [] : [[winner, result!.conflictId!]],
    )
    if (winner !== null)
      expect(conflicts[0]).toMatchObject({
        serverVersion: row.version,
        serverUpdatedAt: row.updatedAt,
        clientUpdatedAt: updatedAt,
        baseVersion,
        clientData: change === 'deletion' ? null : data,
        serverData: one.place === 'live' ? { name: 'of the tablet', version: 2 } : null,
      })

    const found = await alice.get(`/api/qr-codes/${row.serverId}`)
    const isThere = status === 'APPLIED' ? change === 'update' : one.place === 'live'
    expect(found.status).toBe(isThere ? 200 : 404)
    if (isThere) expect(found.data.name).toBe(status === 'APPLIED' ? 'of the phone' : 'of the tablet')
    // The same record again gives the same result and changes nothing.
    expect(await push(alice, pushed)).toEqual([result!])
  })
})

const tablets = new Map<string, Promise<Person>>()
function tabletOf(user: Person): Promise<Person> {
  const known = tablets.get(user.username) ?? otherDevice(server, user)
  tablets.set(user.username, known)
  return known
}

test('a client whose clock is ahead wins only up to the time of the server', () => {
  const row = { version: 2, updatedAt: 1000 }
  const at = (updatedAt: number, now: number) => decide({ baseVersion: 1, updatedAt }, row, { now, isForced: false })
  expect(at(999_999, 1001)).toBe('OVERWRITE')
  // Stamps can be ahead of the clock by some milliseconds.
  expect(at(999_999, 1000)).toBe('KEEP')
  expect(at(1001, 999_999)).toBe('OVERWRITE')
  expect(at(1000, 999_999)).toBe('KEEP')
})
