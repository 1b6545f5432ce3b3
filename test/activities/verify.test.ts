/** Checking passes without redeeming them: forms of a pass, reasons, and the fields that anyone sees. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { generateKeyPairSync, sign as signBytes } from 'node:crypto'

import { decodeToken, encodeToken } from '#domains/activities/pass-keys/pass-keys.rules.ts'
import type { PassView } from '#domains/activities/passes/passes.model.ts'
import { HOUR } from '#platform/clock.ts'

import { inProcess, startServer, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole, UNKNOWN_ID } from '../orgs/helpers.ts'
import { issueOne, redeem, redeemed, revoke, usesOf, verdict, verified, verify } from './gate-helpers.ts'
import { setStatus, START } from './helpers.ts'
import { withPasses } from './pass-helpers.ts'

const { server, admin, alice, mallory } = useServer({ people: ['alice', 'mallory'] })

let activity: number
let pass: PassView
const tokenOf = ({ qrContent }: PassView): string => qrContent!.split('/').at(-1)!

beforeAll(async () => {
  activity = (await withPasses(alice)).id
  pass = await issueOne(alice, activity)
})

describe('a valid pass', () => {
  test('is accepted as the scanned link, the bare token, the link of its page and its uuid, and stays unused', async () => {
    const token = tokenOf(pass)
    for (const content of [pass.qrContent!, pass.qrContent!.toLowerCase(), token, token.toLowerCase(), pass.publicUrl])
      expect(await verified(server, activity, { content })).toMatchObject({ valid: true, reason: null, use: null })
    expect(verdict(await verified(server, activity, { passUuid: pass.uuid }))).toBe('valid')
    expect((await usesOf(alice, activity, { passId: pass.id })).total).toBe(0)
  })

  test('shows everyone who does not redeem it five fields, with the first character of the name', async () => {
    const shown = {
      uuid: pass.uuid,
      holderName: 'L**',
      status: 'ISSUED',
      validFrom: pass.validFrom,
      validTo: pass.validTo,
    }
    for (const who of [server, mallory, alice]) {
      const reply = await verify(who, activity, { content: pass.qrContent! })
      expect(reply.data.pass).toStrictEqual(shown as never)
      expect(reply.text).not.toContain('Lin')
    }
  })
})

describe('a pass that is refused', () => {
  const reasonOf = async (body: object, id = activity) => verdict(await verified(server, id, body))

  test('is MALFORMED if the content is no pass', async () => {
    for (const content of [
      '',
      'WIFI:S:guest;;',
      'https://example.org/s/pass/x',
      tokenOf(pass).slice(2),
      `${tokenOf(pass)}A`,
    ])
      expect(await reasonOf({ content })).toBe('MALFORMED')
    expect(await reasonOf({ passUuid: 'nonsense' })).toBe('MALFORMED')
  })

  test('is FORGED if a byte was altered or another key has signed it, without a word about the pass', async () => {
    const decoded = decodeToken(tokenOf(pass))!
    const altered = encodeToken({ ...decoded, validTo: START }, () => decoded.signature)
    const { privateKey } = generateKeyPairSync('ed25519')
    const foreign = encodeToken(decoded, (bytes) => signBytes(null, bytes, privateKey))
    const unknownKey = encodeToken({ ...decoded, keyId: 200 }, () => decoded.signature)
    for (const content of [altered, foreign, unknownKey]) {
      const reply = await verify(server, activity, { content })
      expect(reply.data).toEqual({ valid: false, reason: 'FORGED', pass: null, use: null, undone: false })
    }
    const { items } = await usesOf(alice, activity, { result: 'REFUSED' })
    expect(items.filter((use) => use.reason === 'FORGED').map((use) => [use.passId, use.holderName])).toEqual([
      [null, ''],
      [null, ''],
      [null, ''],
    ])
  })

  test('is refused with WRONG_ACTIVITY at the gate of another activity, and with UNKNOWN if there is no such pass', async () => {
    const other = (await withPasses(alice)).id
    for (const body of [{ content: pass.qrContent! }, { content: pass.publicUrl }, { passUuid: pass.uuid }]) {
      const reply = await verify(server, other, body)
      expect(reply.data).toEqual({ valid: false, reason: 'WRONG_ACTIVITY', pass: null, use: null, undone: false })
      expect((await redeemed(alice, other, body)).pass).toBeNull()
    }
    expect(await reasonOf({ passUuid: crypto.randomUUID() })).toBe('UNKNOWN')
    expect((await usesOf(alice, other)).items.every((use) => use.passId === null && use.holderName === '')).toBe(true)
  })

  test('is USED, REVOKED, NOT_YET_VALID or in an activity that is not active, with its state', async () => {
    const used = await issueOne(alice, activity)
    await redeemed(alice, activity, { content: used.qrContent! })
    expect(await verified(server, activity, { content: used.qrContent! })).toMatchObject({
      reason: 'USED',
      pass: { status: 'USED' },
    })
    const lost = await issueOne(alice, activity)
    await revoke(alice, lost.id)
    expect(await verified(server, activity, { content: lost.qrContent! })).toMatchObject({
      reason: 'REVOKED',
      pass: { status: 'REVOKED' },
    })
    const early = await issueOne(alice, activity, { validFrom: Date.now() + HOUR })
    expect(await reasonOf({ content: early.qrContent! })).toBe('NOT_YET_VALID')
    const ended = (await withPasses(alice)).id
    const late = await issueOne(alice, ended)
    await setStatus(alice, ended, 'ENDED')
    expect(await reasonOf({ content: late.qrContent! }, ended)).toBe('ACTIVITY_NOT_ACTIVE')
  })

  test.if(inProcess)('is EXPIRED a millisecond after its end', async () => {
    const short = await issueOne(alice, activity, { validTo: server.clock.now() + HOUR })
    expect(await reasonOf({ content: short.qrContent! })).toBe('valid')
    server.clock.advance(HOUR + 1)
    expect(await verified(server, activity, { content: short.qrContent! })).toMatchObject({
      reason: 'EXPIRED',
      pass: { status: 'EXPIRED' },
    })
  })

  test('is recorded, without a verifier unless a manager has checked it', async () => {
    const { id } = await withPasses(alice)
    for (const who of [server, mallory, alice]) await verified(who, id, { content: 'no pass', nonce: 'not-stored' })
    const { items } = await usesOf(alice, id)
    expect(items.map((use) => [use.result, use.reason, use.nonce, use.verifierUserId])).toEqual([
      ['REFUSED', 'MALFORMED', null, alice.id],
      ['REFUSED', 'MALFORMED', null, null],
      ['REFUSED', 'MALFORMED', null, null],
    ])
  })
})

describe('POST /api/activities/:id/pass/verify', () => {
  test('answers 400 unless exactly one of content and passUuid is given', async () => {
    for (const body of [{}, { content: null, passUuid: null }, { content: 'x', passUuid: pass.uuid }])
      expect((await verify(server, activity, body)).status).toBe(400)
    for (const nonce of ['seven77', 'x'.repeat(65)])
      expect((await verify(server, activity, { content: 'x', nonce })).status).toBe(400)
  })

  test('answers 404 for an unknown activity, and for a draft unless the caller has one of its passes', async () => {
    expect((await verify(server, UNKNOWN_ID, { content: pass.qrContent! })).status).toBe(404)
    const draft = (await withPasses(alice, { status: 'DRAFT' })).id
    const early = await issueOne(alice, draft)
    for (const who of [server, mallory])
      for (const content of ['x', pass.qrContent!]) expect((await verify(who, draft, { content })).status).toBe(404)
    for (const who of [server, alice])
      expect(verdict(await verified(who, draft, { content: early.qrContent! }))).toBe('ACTIVITY_NOT_ACTIVE')
    expect(verdict(await verified(alice, draft, { content: 'x' }))).toBe('MALFORMED')
  })

  test('answers 401 for a bad token, and for redeem without a token', async () => {
    const body = { content: pass.qrContent! }
    const bad = { headers: { authorization: 'Bearer x.y.z' }, body }
    expect((await server.request('POST', `/api/activities/${activity}/pass/verify`, bad)).status).toBe(401)
    expect((await verify(server, activity, { ...body, redeem: true })).status).toBe(401)
    expect((await usesOf(alice, activity, { passId: pass.id })).total).toBe(0)
  })

  test('answers redeem by a user who does not manage the activity with 403 or 404, and counts nothing', async () => {
    const open = (await withPasses(alice, { visibility: 'PUBLIC' })).id
    const own = await issueOne(alice, open, { userId: mallory.id })
    expect((await redeem(mallory, open, { content: own.qrContent! })).status).toBe(403)
    expect((await redeem(mallory, activity, { content: pass.qrContent! })).status).toBe(403)
    const draft = (await withPasses(alice, { status: 'DRAFT' })).id
    expect((await redeem(mallory, draft, { content: pass.qrContent! })).status).toBe(404)
    expect(await verified(server, open, { content: own.qrContent! })).toMatchObject({ valid: true })
    expect((await usesOf(alice, open)).total).toBe(0)
  })

  test('lets a volunteer with nothing but pass:verify redeem in the organization, also if it is named', async () => {
    const [volunteer, member] = [await server.person(), await server.person()]
    const org = await createOrg(alice)
    await addMembers(alice, org, volunteer, member)
    const role = { code: 'GATE', name: 'Gate', domain: 'ORG' as const, scopeId: org.id, permissions: ['pass:verify'] }
    await admin.call('access.createRole', { body: role })
    await setRole(alice, org, volunteer, 'GATE')
    const { id } = await withPasses(alice, { orgId: org.id, visibility: 'RESTRICTED' })
    const two = await issueOne(alice, id, { maxUses: 2 })
    const content = two.qrContent!
    expect(verdict(await redeemed(volunteer, id, { content }))).toBe('valid')
    expect(verdict(await redeemed(volunteer, id, { content, orgId: org.id }))).toBe('valid')
    expect((await redeem(member, id, { content })).status).toBe(403)
    expect((await redeem(mallory, id, { content })).status).toBe(404)
    expect((await redeem(mallory, id, { content, orgId: org.id })).status).toBe(403)
    const inQuery = { query: { orgId: org.id }, body: { content, redeem: true } }
    expect((await mallory.send('POST', `/api/activities/${id}/pass/verify`, inQuery)).status).toBe(403)
    const hers = (await createOrg(mallory)).id
    expect((await redeem(mallory, id, { content, orgId: hers })).status).toBe(404)
  })
})

test.if(inProcess)('an address gets 60 refusals a minute, and any number of valid answers', async () => {
  await using limited = await startServer({ rateLimit: true })
  const owner = await limited.person()
  const { id } = await withPasses(owner)
  const valid = await issueOne(owner, id)
  for (let i = 0; i < 60; i++) expect((await verify(limited, id, { content: 'x' })).status).toBe(200)
  const refused = await verify(limited, id, { content: 'x' })
  expect([refused.status, refused.code]).toEqual([429, 4022])
  expect((await usesOf(owner, id)).total).toBe(60)
  expect(verdict(await verified(limited, id, { content: valid.qrContent! }))).toBe('valid')
  expect(verdict(await redeemed(owner, id, { content: 'x' }))).toBe('MALFORMED')
})
