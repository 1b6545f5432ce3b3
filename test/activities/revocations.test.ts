/** The signed list of revoked passes that offline gates take with them. */

import { expect, test } from 'bun:test'

import { dialect } from '#db/dialect.ts'
import { passes } from '#db/schema/passes.ts'
import type { Revocations } from '#domains/activities/gates/offline.model.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { revoke } from './gate-helpers.ts'
import { createTemplate, guests, issued, withPasses } from './pass-helpers.ts'

const { server, alice, mallory } = useServer({ people: ['alice', 'mallory'] })

const revocations = async (person: Person, id: number, since?: number): Promise<Revocations> =>
  ok(await person.call('passes.revocations', { params: { id }, query: since === undefined ? {} : { since } })).data

async function isSigned(id: number, { keyId, signature, since, until, revoked }: Revocations): Promise<boolean> {
  const { keys } = ok(await server.call('passes.keys', { params: { id } })).data
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: keys.find((key) => key.keyId === keyId)!.publicKey }
  const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify'])
  const text = `tessera revocations v1\n${JSON.stringify({ activityId: id, since, until, revoked })}`
  return crypto.subtle.verify('Ed25519', key, Buffer.from(signature, 'base64url'), Buffer.from(text))
}

test('GET …/pass/revocations lists the revoked passes since a time, signed with a published key', async () => {
  const { id } = await withPasses(alice)
  const [one, two, three] = await issued(alice, id, { holders: guests(3) })
  const empty = await revocations(alice, id)
  expect(empty).toMatchObject({ since: 0, revoked: [] })
  expect(await isSigned(id, empty)).toBe(true)
  const { revokedAt } = await revoke(alice, one!.id)
  const first = await revocations(alice, id)
  expect(first.revoked).toEqual([{ uuid: one!.uuid, revokedAt: revokedAt! }])
  expect(await isSigned(id, first)).toBe(true)
  expect(await isSigned(id, { ...first, revoked: [] })).toBe(false)
  await revoke(alice, three!.id)
  await revoke(alice, two!.id)
  const second = await revocations(alice, id, first.until)
  expect(second.revoked.map(({ uuid }) => uuid)).toEqual([three!.uuid, two!.uuid])
  expect(second.since).toBe(first.until)
  expect((await revocations(alice, id, second.until)).revoked).toEqual([])
  expect((await revocations(alice, id)).revoked).toHaveLength(3)
})

test('GET …/pass/revocations has the passes of its activity only, for users who may verify them', async () => {
  const { id } = await withPasses(alice, { visibility: 'PUBLIC' })
  const other = await withPasses(alice)
  const [pass] = await issued(alice, other.id, { holders: guests(1) })
  await revoke(alice, pass!.id)
  expect((await revocations(alice, id)).revoked).toEqual([])
  expect((await mallory.call('passes.revocations', { params: { id } })).status).toBe(403)
  expect((await server.call('passes.revocations', { params: { id } })).status).toBe(401)
  const org = await createOrg(alice)
  await addMembers(alice, org, mallory)
  const ofOrg = await withPasses(alice, { orgId: org.id, status: 'DRAFT' })
  expect((await mallory.call('passes.revocations', { params: { id: ofOrg.id } })).status).toBe(404)
  expect((await alice.call('passes.revocations', { params: { id }, query: { orgId: org.id } })).status).toBe(404)
})

test('a client that always continues from until gets every one of 50 passes that are revoked meanwhile', async () => {
  const { id } = await withPasses(alice)
  const all = await issued(alice, id, { holders: guests(50) })
  const seen = new Set<string>()
  let since = 0
  let isOver = false
  const reading = (async () => {
    for (let isLast = false; !isLast;) {
      isLast = isOver
      const { revoked, until } = await revocations(alice, id, since)
      for (const { uuid } of revoked) seen.add(uuid)
      since = until
    }
  })()
  await race(50, (i) => revoke(alice, all[i]!.id))
  isOver = true
  await reading
  expect(seen.size).toBe(50)
})

test.if(inProcess)(
  '5,000 passes or more are listed in several answers, and those of one write in one answer',
  async () => {
    const { id } = await withPasses(alice)
    const [{ id: first } = { id: 0 }] = await issued(alice, id, { holders: guests(3) })
    const [template] = (await server.ctx.db.read.select().from(passes)).filter((row) => row.id === first)
    const times = [...Array.from({ length: 4998 }, (_, i) => 1000 + i), ...Array.from({ length: 5 }, () => 9000), 9001]
    await server.ctx.db.write('test', async (tx) => {
      for (let from = 0; from < times.length; from += 500)
        await tx
          .insert(passes)
          .values(
            times
              .slice(from, from + 500)
              .map((revokedAt) => ({ ...template!, id: undefined, uuid: crypto.randomUUID(), revokedAt })),
          )
    })
    const page = await revocations(alice, id)
    expect([page.revoked.length, page.until]).toEqual([5003, 9000])
    const rest = await revocations(alice, id, page.until)
    expect(rest.revoked.map(({ revokedAt }) => revokedAt)).toEqual([9001])
  },
)

test('with listId it has the list and the passes that it admits, of those issued after since', async () => {
  const { id } = await withPasses(alice)
  const template = (await createTemplate(alice)).id
  const other = (await createTemplate(alice)).id
  const add = async (fields: object) => {
    const body = { name: 'Lunch', ...fields }
    return ok(await alice.call('checkInLists.create', { params: { id }, body })).data.id
  }
  const listId = await add({ templateIds: [template], maxUses: 2, opensAt: 1000, closesAt: 2000, requiresEntry: true })
  const open = await add({})
  const [one, two] = await issued(alice, id, { holders: guests(2), templateId: template })
  await issued(alice, id, { holders: guests(2), templateId: other })
  await issued(alice, id, { holders: guests(1) })
  const listing = (since: number, of = listId) =>
    alice.call('passes.revocations', { params: { id }, query: { since, listId: of } })
  const first = ok(await listing(0)).data
  const list = { id: listId, opensAt: 1000, closesAt: 2000, maxUses: 2, requiresEntry: true }
  expect(first.list).toEqual({ ...list, admittedUuids: [one!.uuid, two!.uuid] })
  expect(ok(await listing(first.until)).data.list!.admittedUuids).toEqual([])
  const [three] = await issued(alice, id, { holders: guests(1), templateId: template })
  const second = ok(await listing(first.until)).data
  expect(second.list).toEqual({ ...list, admittedUuids: [three!.uuid] })
  expect(ok(await listing(0, open)).data.list).toMatchObject({ id: open, admittedUuids: null })
  const { list: _, ...rest } = ok(await listing(0)).data
  const without = await revocations(alice, id)
  expect(Object.keys(rest)).toEqual(Object.keys(without))
  expect(await isSigned(id, rest)).toBe(true)
  const elsewhere = await withPasses(alice)
  const query = { listId }
  const foreign = await alice.call('passes.revocations', { params: { id: elsewhere.id }, query })
  expect(foreign).toMatchObject({ status: 400, details: [{ path: 'query.listId' }] })
})

test.if(inProcess)('20,000 passes or more that a list admits are in several answers', async () => {
  const { id } = await withPasses(alice)
  const template = (await createTemplate(alice)).id
  const list = { name: 'Lunch', templateIds: [template] }
  const listId = ok(await alice.call('checkInLists.create', { params: { id }, body: list })).data.id
  const [{ id: first } = { id: 0 }] = await issued(alice, id, { holders: guests(1), templateId: template })
  const [row] = (await server.ctx.db.read.select().from(passes)).filter((pass) => pass.id === first)
  const times = Array.from({ length: 20_005 }, (_, i) => Math.max(1000 + i, 20_990))
  await server.ctx.db.write('test', async (tx) => {
    for (let from = 0; from < times.length; from += 500)
      await tx
        .insert(passes)
        .values(
          times
            .slice(from, from + 500)
            .map((createdAt) => ({ ...row!, id: undefined, uuid: crypto.randomUUID(), createdAt })),
        )
  })
  const seen = new Set<string>()
  let answers = 0
  for (let since = 0; ; answers++) {
    const { data } = ok(await alice.call('passes.revocations', { params: { id }, query: { since, listId } }))
    for (const uuid of data.list!.admittedUuids!) seen.add(uuid)
    if (data.list!.admittedUuids!.length < 20_000) break
    since = data.until
  }
  expect(seen.size).toBe(20_006)
  expect(answers).toBe(1)
})

test.if(inProcess)('until stays below the stamp of a revocation that is not committed yet', async () => {
  const { id } = await withPasses(alice)
  const [slow, quick] = await issued(alice, id, { holders: guests(2) })
  const { eq } = await import('drizzle-orm')
  const { promise: stamped, resolve: tell } = Promise.withResolvers<number>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const running = server.ctx.db.write('test', async (tx) => {
    await tx.update(passes).set({ revokedAt: tx.stamp }).where(eq(passes.id, slow!.id))
    tell(tx.stamp)
    await released
  })
  const stamp = await stamped
  // On SQLite every write waits for this one, so there is nothing to overtake it.
  if (dialect === 'postgres') {
    await revoke(alice, quick!.id)
    const early = await revocations(alice, id)
    expect(early.revoked.map(({ uuid }) => uuid)).toEqual([quick!.uuid])
    expect(early.until).toBeLessThan(stamp)
    release()
    await running
    expect((await revocations(alice, id, early.until)).revoked.map(({ uuid }) => uuid)).toEqual([
      slow!.uuid,
      quick!.uuid,
    ])
  } else {
    release()
    await running
    expect((await revocations(alice, id)).until).toBeGreaterThanOrEqual(stamp)
  }
})
