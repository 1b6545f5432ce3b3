/** Labels whose owner is gone, that stand for an activity for invited people, and that are at a domain of their own. */

import { describe, expect, test } from 'bun:test'

import type { BlankView } from '#domains/qr-codes/blanks/blanks.model.ts'

import { createActivity } from '../activities/helpers.ts'
import { createAsset, createLocation } from '../assets/helpers.ts'
import { ok, type Person, type TestServer, until, useServer } from '../harness/index.ts'
import { readPdf } from '../lib/pdf-files.ts'
import { readByZxing } from '../lib/qr-pictures.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createCode } from './helpers.ts'
import { scan } from './link-helpers.ts'

async function labels(user: Person, count: number, fields: object = {}): Promise<BlankView[]> {
  const batch = ok(await user.call('qrBlanks.create', { body: { name: 'Labels', count, ...fields } })).data
  const query = { batchId: batch.id, ...(batch.orgId !== null && { orgId: batch.orgId }) }
  return ok(await user.call('qrBlanks.list', { query })).data.items
}
type Binding = { kind: 'ASSET' | 'LOCATION' | 'QR_CODE' | 'ACTIVITY'; id: number }
const bind = async (user: Person, { slug }: BlankView, body: Binding) =>
  ok(await user.call('qrBlanks.bind', { params: { slug }, body }))
const statusesOf = async (server: Pick<TestServer, 'request'>, some: readonly BlankView[]): Promise<number[]> => {
  const replies = await Promise.all(some.map(({ slug }) => scan(server, `/q/${slug}`)))
  return replies.map(({ status }) => status)
}

describe('labels whose owner is gone', () => {
  const { server, alice } = useServer({ people: ['alice'] })

  test('are void when an organization is dissolved, those of its locations too', async () => {
    const org = await createOrg(alice)
    const other = await labels(alice, 1)
    const made = await labels(alice, 3, { orgId: org.id })
    await bind(alice, made[1]!, { kind: 'LOCATION', id: await createLocation(alice, org.id, 'Shelf') })
    expect(await statusesOf(server, made)).toEqual([200, 302, 200])
    ok(await alice.call('orgs.dissolve', { params: { id: org.id }, query: { force: true } }))
    await until(async () => (await statusesOf(server, made)).every((status) => status === 410))
    expect(await statusesOf(server, other)).toEqual([200])
    expect((await alice.call('qrBlanks.get', { params: { slug: made[0]!.slug } })).status).toBe(404)
  })

  test('are void when an account is deleted, unless they stand for something', async () => {
    const bob = await server.person()
    const [bound, ...free] = await labels(bob, 3)
    const code = await createCode(bob, { content: 'https://example.org', isPublic: true })
    await bind(bob, bound!, { kind: 'QR_CODE', id: code.id })
    ok(await bob.call('auth.deleteAccount'))
    await until(async () => (await statusesOf(server, free)).every((status) => status === 410))
    expect(await statusesOf(server, [bound!])).toEqual([302])
  })
})

describe('a label of an INVITE_ONLY activity', () => {
  const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })

  test('shows no more than the link of the activity without its invite code', async () => {
    const activity = await createActivity(alice, {
      name: 'Secret dinner',
      visibility: 'INVITE_ONLY',
      status: 'ACTIVE',
    })
    const [label] = await labels(alice, 1)
    await bind(alice, label!, { kind: 'ACTIVITY', id: activity.id })
    const path = `/q/${label!.slug}`
    const reply = await scan(server, path)
    const location = reply.headers.get('location')!
    expect(reply.status).toBe(302)
    expect(new URL(location).pathname).toBe(`/s/activity/${activity.uuid}`)
    const shown = [reply.text, location, (await scan(server, `${path}/info`)).text]
    shown.push((await scan(server, `${path}/info`, { headers: { accept: 'application/json' } })).text)
    const landing = await scan(server, new URL(location).pathname + new URL(location).search)
    expect(landing.status).toBe((await scan(server, `/s/activity/${activity.uuid}`)).status)
    const asJson = { headers: { accept: 'application/json' } }
    expect((await scan(server, `/s/activity/${activity.uuid}`, asJson)).status).toBe(403)
    for (const text of [...shown, landing.text]) {
      expect(text).not.toContain('Secret dinner')
      expect(text).not.toContain(activity.inviteCode!)
    }
    // Somebody else who is signed in learns no more from the label, nor from a recorded scan of it.
    expect((await bob.call('qrBlanks.get', { params: { slug: label!.slug } })).status).toBe(404)
    const recorded = await bob.call('scanRecords.create', { body: { content: label!.shortUrl } })
    expect(ok(recorded).text).not.toContain('Secret dinner')
  })
})

describe('labels at a domain of their own', () => {
  const { server, alice } = useServer({
    people: ['alice'],
    config: { publicUrl: 'https://qr.example.org', shortUrl: 'https://go.example.org' },
  })
  const open = (path: string, headers: Record<string, string> = {}) =>
    scan(server, path, { headers: { 'x-forwarded-host': 'go.example.org', ...headers } })

  test('are printed with it, in each format', async () => {
    const [label] = await labels(alice, 1, { prefix: 'GO-' })
    const { slug, shortUrl, batchId } = label!
    expect(shortUrl).toBe(`https://go.example.org/${slug}`)
    const file = async (format: string) =>
      alice.send('GET', `/api/qr-codes/batches/${batchId}/export`, { query: { format, widthMm: 40 } })
    expect((await file('csv')).text).toContain(`GO-00001,${shortUrl}\r\n`)
    const pdf = await readPdf((await file('pdf')).bytes)
    expect((await readByZxing(await pdf.picture(1, 200)))?.text).toBe(shortUrl.toUpperCase())
  })

  test('lead to the public address: free ones into the web application, bound ones to their things', async () => {
    const org = await createOrg(alice)
    const [free, ofAsset, ofPlace, voided] = await labels(alice, 4, { orgId: org.id })
    const [ofCode] = await labels(alice, 1)
    const page = await open(`/${free!.slug.toUpperCase()}`, { 'accept-language': 'en' })
    expect(page.status).toBe(200)
    for (const part of [
      `href="https://qr.example.org/console/labels/${free!.slug}"`,
      '<base href="https://qr.example.org/" />',
      `href="/q/${free!.slug.toUpperCase()}?lang=zh"`,
    ])
      expect(page.text).toContain(part)
    expect((await open(`/${free!.slug}/info`)).text).toContain(free!.number)
    expect((await scan(server, `/q/${free!.slug}`)).status).toBe(200)
    expect((await scan(server, `/${free!.slug}`)).status).toBe(404)

    const asset = await createAsset(alice, { orgId: org.id })
    await bind(alice, ofAsset!, { kind: 'ASSET', id: asset.id })
    await bind(alice, ofPlace!, { kind: 'LOCATION', id: await createLocation(alice, org.id, 'Shelf') })
    const code = await createCode(alice, { content: 'https://example.org/menu', isPublic: true })
    await bind(alice, ofCode!, { kind: 'QR_CODE', id: code.id })
    ok(await alice.call('qrBlanks.void', { params: { slug: voided!.slug } }))
    const locationOf = async ({ slug }: BlankView) => (await open(`/${slug}`)).headers.get('location')
    expect(await locationOf(ofAsset!)).toBe(asset.publicUrl)
    expect(asset.publicUrl).toStartWith('https://qr.example.org/')
    expect(await locationOf(ofPlace!)).toStartWith(`https://qr.example.org/console/orgs/${org.id}?`)
    expect(await locationOf(ofCode!)).toBe('https://example.org/menu')
    expect((await open(`/${voided!.slug}`)).status).toBe(410)
  })

  test('are found by the app and by inventories, by their address', async () => {
    const asset = await createAsset(alice, { name: 'Projector' })
    const [free, ofAsset] = await labels(alice, 2)
    await bind(alice, ofAsset!, { kind: 'ASSET', id: asset.id })
    const resolved = async ({ shortUrl }: BlankView) =>
      ok(await alice.call('scanRecords.create', { body: { content: shortUrl.toUpperCase() } })).data.resolved
    expect(await resolved(free!)).toMatchObject({ kind: 'BLANK', number: free!.number })
    expect(await resolved(ofAsset!)).toMatchObject({ kind: 'ASSET', id: asset.id })
    const { id } = ok(await alice.call('inventories.create', { body: { name: 'All' } })).data
    ok(await alice.call('inventories.update', { params: { id }, body: { status: 'RUNNING' } }))
    const taken = await alice.call('inventories.scan', { params: { id }, body: { code: ofAsset!.shortUrl } })
    expect(ok(taken).data).toMatchObject({ result: 'FOUND', asset: { id: asset.id } })
  })
})
