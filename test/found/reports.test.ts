/** Cards of things, messages of finders and the conversation with the owner. */

import { describe, expect, test } from 'bun:test'

import { createAsset, deleteAsset, getAsset, transfer, updateAsset } from '../assets/helpers.ts'
import { inProcess, ok, until, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'
import {
  findableAsset,
  findableCode,
  formOf,
  keyOf,
  newestReport,
  pathOf,
  readThread,
  report,
  reportsOf,
  sendWith,
  writeThread,
} from './helpers.ts'

const { server, admin, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'] })

const page = (path: string, language = 'en') =>
  server.request('GET', path, { headers: { accept: 'text/html', 'accept-language': language } })

describe('a card', () => {
  test('is off until the owner switches it on, and keeps what a change does not name', async () => {
    const asset = await createAsset(alice, { publicFields: ['name'] })
    const params = { id: asset.id }
    const off = { when: 'OFF', text: '', allowMessage: true, askPosition: true, publicFields: ['name'] }
    expect(ok(await alice.call('found.assetCard', { params })).data).toEqual(off as never)
    expect(await formOf(server, asset)).toBeNull()
    ok(await alice.call('found.updateAssetCard', { params, body: { when: 'ALWAYS', text: 'Call me' } }))
    ok(await alice.call('found.updateAssetCard', { params, body: { askPosition: false } }))
    const changed = { ...off, when: 'ALWAYS', text: 'Call me', askPosition: false }
    expect(ok(await alice.call('found.assetCard', { params })).data).toEqual(changed as never)
    expect(await formOf(server, asset)).toMatchObject({ text: 'Call me', askPosition: false })
  })

  test('that is LOST is shown only while the asset is lost, and a code cannot be lost', async () => {
    const asset = await findableAsset(alice, {}, { when: 'LOST' })
    expect(await formOf(server, asset)).toBeNull()
    ok(await updateAsset(alice, asset.id, { status: 'LOST' }))
    expect(await formOf(server, asset)).not.toBeNull()
    const code = await createCode(alice, { isPublic: true })
    const refused = await alice.call('found.updateCodeCard', { params: { id: code.id }, body: { when: 'LOST' } })
    expect(refused.status).toBe(400)
    expect(refused.details).toMatchObject([{ path: 'body.when' }])
    expect(await formOf(server, code)).toBeNull()
  })

  test('of an asset without public fields is all that its page shows', async () => {
    const asset = await findableAsset(alice, { name: 'Secret name', publicFields: [], brand: 'Secret brand' })
    const shown = await page(pathOf(asset))
    expect(shown.status).toBe(200)
    expect(shown.text).toContain('Please write to me')
    expect(shown.headers.get('x-robots-tag')).toBe('noindex')
    for (const hidden of ['Secret', asset.assetNo, 'alice']) expect(shown.text).not.toContain(hidden)
  })

  test('without messages shows its text and takes none', async () => {
    const asset = await findableAsset(alice)
    const key = await keyOf(server, asset)
    ok(await alice.call('found.updateAssetCard', { params: { id: asset.id }, body: { allowMessage: false } }))
    expect(await formOf(server, asset)).toEqual({ key: null as never, text: 'Please write to me', askPosition: false })
    const shown = await page(pathOf(asset))
    expect(shown.text).toContain('Please write to me')
    expect(shown.text).not.toContain('<form')
    expect((await sendWith(server, key, { message: 'hello' })).status).toBe(400)
    expect(await reportsOf(alice)).toEqual([])
  })

  test('takes no messages while the organization is disabled, which could not answer', async () => {
    const org = await createOrg(alice)
    const asset = await findableAsset(alice, { orgId: org.id })
    const key = await keyOf(server, asset)
    const setStatus = async (status: 'ACTIVE' | 'DISABLED') =>
      ok(await admin.call('admin.orgs.update', { params: { orgId: org.id }, body: { status } }))
    await setStatus('DISABLED')
    expect(await formOf(server, asset)).toEqual({ key: null as never, text: 'Please write to me', askPosition: false })
    expect((await sendWith(server, key, { message: 'hello' })).status).toBe(400)
    await setStatus('ACTIVE')
    ok(await sendWith(server, key, { message: 'hello' }))
    expect(await formOf(server, asset)).not.toMatchObject({ key: null })
  })

  test('is read and changed with the points of the thing in its organization', async () => {
    const org = await createOrg(alice)
    await addMembers(alice, org, bob)
    const asset = await createAsset(alice, { orgId: org.id })
    const params = { id: asset.id }
    const body = { when: 'ALWAYS' } as const
    ok(await bob.call('found.assetCard', { params }))
    expect((await bob.call('found.updateAssetCard', { params, body })).status).toBe(403)
    expect((await carol.call('found.assetCard', { params })).status).toBe(404)
    expect((await carol.call('found.updateAssetCard', { params, body })).status).toBe(404)
    expect((await server.call('found.updateAssetCard', { params, body })).status).toBe(401)
    for (const bad of [{ when: 'SOMETIMES' }, { text: 'x'.repeat(501) }, { allowMessage: 'yes' }])
      expect((await alice.put(`/api/assets/${asset.id}/found-card`, bad)).status).toBe(400)
    expect(ok(await alice.call('found.assetCard', { params })).data.when).toBe('OFF')
  })
})

describe('a message of a finder', () => {
  test('reaches the owner, who answers, and neither learns who the other is', async () => {
    const asset = await findableAsset(alice, { name: 'Violin' })
    const path = await report(server, asset, { message: 'At the bus stop', contact: 'bus driver, line 12' })
    const row = await newestReport(alice)
    expect(row).toMatchObject({
      kind: 'ASSET',
      targetId: asset.id,
      orgId: null,
      title: 'Violin',
      status: 'OPEN',
      contact: 'bus driver, line 12',
      position: null,
      messages: [{ fromOwner: false, text: 'At the bus stop' }],
    })
    ok(await alice.call('found.answer', { params: { id: row.id }, body: { message: 'Thank you!' } }))
    ok(await writeThread(server, path, 'See you\r\ntomorrow'))
    const texts = ['At the bus stop', 'Thank you!', 'See you\ntomorrow']
    const thread = await readThread(server, path)
    expect(thread.data.messages.map((m: { text: string }) => m.text)).toEqual(texts)
    expect((await newestReport(alice)).messages.map((m) => m.text)).toEqual(texts)
    const html = await page(path)
    for (const { text } of [thread, html])
      for (const hidden of ['alice', 'Violin', 'bus driver']) expect(text).not.toContain(hidden)
    expect(html.headers.get('x-robots-tag')).toBe('noindex')
    expect(html.headers.get('cache-control')).toBe('no-store')
    expect(html.headers.get('referrer-policy')).toBe('no-referrer')
    expect(JSON.stringify(row)).not.toContain('198.51')
  })

  test('about a code works as a form without scripts, in the language of the page', async () => {
    const code = await findableCode(alice, { name: '书包' })
    const html = await page(pathOf(code), 'zh')
    expect(html.text).toContain('你捡到了它吗')
    const action = /action="(\/public\/found\/[^"]+)"/.exec(html.text)![1]!
    if (inProcess) server.clock.advance(2000)
    else await Bun.sleep(2000)
    const body = new URLSearchParams({
      message: 'وجدت\r\nالحقيبة',
      contact: '',
      latitude: '30.25',
      longitude: '120.15',
    })
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '198.50.0.1' }
    const sent = await server.request('POST', action.replaceAll('&amp;', '&'), { body: String(body), headers })
    expect(sent.status).toBe(200)
    expect(sent.text).toContain('谢谢')
    const path = /\/public\/found\/thread\/[\w-]{22}/.exec(sent.text)![0]
    expect(await newestReport(alice)).toMatchObject({
      kind: 'QR_CODE',
      targetId: code.id,
      contact: null,
      position: { latitude: 30.25, longitude: 120.15, accuracy: null, address: null },
      messages: [{ text: 'وجدت\nالحقيبة' }],
    })
    const more = await server.request('POST', `${path}?lang=zh`, { body: 'message=%E5%A5%BD', headers })
    expect([more.status, more.headers.get('location')]).toEqual([303, `${path}?lang=zh`])
    expect((await page(path)).text).toContain('<p class="text" dir="auto">好</p>')
  })

  test('is escaped wherever it is shown', async () => {
    const evil = `<img src=x onerror=alert(1)>"'&https://evil.example`
    const code = await findableCode(alice, { name: 'Plain' })
    ok(await alice.call('found.updateCodeCard', { params: { id: code.id }, body: { text: evil } }))
    const shown = await page(pathOf(code))
    const path = await report(server, code, { message: evil, contact: evil })
    const { id } = await newestReport(alice)
    ok(await alice.call('found.answer', { params: { id }, body: { message: evil } }))
    for (const { text } of [shown, await page(path)]) {
      expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;')
      expect(text).not.toContain('<img src=x')
      expect(text).not.toContain('href="https://evil')
    }
  })

  test('is refused with a text or a position that is not valid, and its key can then still be used', async () => {
    const asset = await findableAsset(alice)
    const key = await keyOf(server, asset)
    const before = (await reportsOf(alice)).length
    for (const bad of [
      {},
      { message: ' ' },
      { message: 'x'.repeat(1001) },
      { message: 'x', contact: 'y'.repeat(201) },
      { message: 'x', latitude: 91, longitude: 0 },
      { message: 'x', latitude: 1 },
      { message: 'x', latitude: 1, longitude: 1, accuracy: -1 },
      { message: 5 },
    ])
      expect((await sendWith(server, key, bad)).status).toBe(400)
    for (const [language, sentence] of [
      ['en', '<p class="soft">message must not be empty</p>'],
      ['zh', '<p class="soft">message 不能为空</p>'],
    ] as const) {
      const headers = { accept: 'text/html', 'accept-language': language }
      expect((await sendWith(server, key, { message: ' ' }, { headers })).text).toContain(sentence)
    }
    expect(await reportsOf(alice)).toHaveLength(before)
    ok(await sendWith(server, key, { message: 'é'.repeat(1000) }))
    expect(await reportsOf(alice)).toHaveLength(before + 1)
  })

  test('notifies the user who owns the thing, of each message, without its text', async () => {
    const owner = await server.person()
    const asset = await findableAsset(owner, { name: 'Cello' })
    const noticesOf = async () => ok(await owner.call('notifications.list', { query: {} })).data.items
    const path = await report(server, asset, { message: 'finder-text' })
    const [notice] = await noticesOf()
    const { id } = await newestReport(owner)
    expect(notice).toMatchObject({ type: 'ASSET', read: false, data: { assetId: asset.id, foundReportId: id } })
    expect(JSON.stringify(notice)).toContain('Cello')
    expect(JSON.stringify(notice)).not.toContain('finder-text')
    // A second message while the first is unread adds none; afterwards it does.
    ok(await writeThread(server, path, 'more'))
    expect(await noticesOf()).toHaveLength(1)
    ok(await owner.call('notifications.read', { params: { id: notice!.id } }))
    ok(await writeThread(server, path, 'even more'))
    expect((await noticesOf()).map((n) => n.read)).toEqual([false, true])
  })
})

describe('a report', () => {
  test('is seen with the read point of its kind, and changed with the update point', async () => {
    const org = await createOrg(alice)
    await addMembers(alice, org, bob)
    const asset = await createAsset(alice, { orgId: org.id, publicFields: ['name'] })
    const params = { id: asset.id }
    ok(await alice.call('found.updateAssetCard', { params, body: { when: 'ALWAYS' } }))
    await report(server, asset)
    const row = await newestReport(bob, { orgId: org.id })
    expect(row.orgId).toBe(org.id)
    expect((await reportsOf(bob)).map((r) => r.id)).not.toContain(row.id)
    const one = { params: { id: row.id } }
    const refused = [
      await bob.call('found.answer', { ...one, body: { message: 'hi' } }),
      await bob.call('found.changeStatus', { ...one, body: { status: 'CLOSED' } }),
      await bob.call('found.deleteReport', one),
    ]
    expect(refused.map((r) => r.status)).toEqual([403, 403, 403])
    const hidden = [
      await carol.call('found.report', one),
      await carol.call('found.answer', { ...one, body: { message: 'hi' } }),
      await carol.call('found.changeStatus', { ...one, body: { status: 'CLOSED' } }),
      await carol.call('found.deleteReport', one),
    ]
    expect(hidden.map((r) => r.status)).toEqual([404, 404, 404, 404])
    expect((await carol.call('found.reports', { query: { orgId: org.id } })).status).toBe(403)
    expect((await server.call('found.reports', { query: {} })).status).toBe(401)
    expect((await newestReport(alice, { orgId: org.id })).messages).toHaveLength(1)
    // Only members who may change the asset are notified.
    const notified = ok(await alice.call('notifications.list', { query: { type: 'ASSET' } })).data.items
    expect(notified.some((n) => n.data['foundReportId'] === row.id)).toBe(true)
    expect(ok(await bob.call('notifications.list', { query: { type: 'ASSET' } })).data.items).toEqual([])
  })

  test('that is RETURNED makes a lost asset one in use, once', async () => {
    const asset = await findableAsset(alice, { status: 'LOST' })
    await report(server, asset)
    const { id } = await newestReport(alice)
    const set = async (status: 'OPEN' | 'RETURNED' | 'CLOSED') =>
      ok(await alice.call('found.changeStatus', { params: { id }, body: { status } })).data
    const returned = await set('RETURNED')
    const after = ok(await getAsset(alice, asset.id)).data
    expect([returned.status, after.status, after.version]).toEqual(['RETURNED', 'IN_USE', asset.version + 1])
    ok(await updateAsset(alice, asset.id, { status: 'LOST' }))
    expect((await set('RETURNED')).updatedAt).toBe(returned.updatedAt)
    expect(ok(await getAsset(alice, asset.id)).data.status).toBe('LOST')
    expect((await reportsOf(alice, { status: 'RETURNED' })).map((r) => r.id)).toContain(id)
    expect((await reportsOf(alice, { status: 'OPEN' })).map((r) => r.id)).not.toContain(id)
  })

  test('that is CLOSED takes no messages, and one of a card that is off still does', async () => {
    const asset = await findableAsset(alice)
    const path = await report(server, asset)
    const { id } = await newestReport(alice)
    ok(await alice.call('found.updateAssetCard', { params: { id: asset.id }, body: { when: 'OFF' } }))
    ok(await writeThread(server, path, 'still here'))
    ok(await alice.call('found.changeStatus', { params: { id }, body: { status: 'CLOSED' } }))
    expect((await writeThread(server, path, 'hello?')).status).toBe(400)
    expect((await alice.call('found.answer', { params: { id }, body: { message: 'hi' } })).status).toBe(400)
    expect(ok(await readThread(server, path)).data).toMatchObject({ status: 'CLOSED', canWrite: false })
    expect((await page(path)).text).not.toContain('<form')
  })

  test('follows its asset to an organization', async () => {
    const owner = await server.person()
    const org = await createOrg(owner)
    const asset = await findableAsset(owner)
    const path = await report(server, asset)
    ok(await transfer(owner, asset.id, { toOrgId: org.id }))
    expect(await reportsOf(owner)).toEqual([])
    expect(await reportsOf(owner, { orgId: org.id })).toHaveLength(1)
    ok(await writeThread(server, path, 'still here'))
  })

  test('shows only its newest message in lists, which are newest first', async () => {
    const owner = await server.person()
    const asset = await findableAsset(owner)
    const first = await report(server, asset, { message: 'one' })
    await report(server, asset, { message: 'two' })
    ok(await writeThread(server, first, 'three'))
    const shown = (await reportsOf(owner)).map((r) => r.messages.map((m) => m.text))
    expect(shown).toEqual([['two'], ['three']])
    const last = ok(await owner.call('found.reports', { query: { page: 2, size: 1 } })).data
    expect([last.total, last.items[0]!.messages[0]!.text]).toEqual([2, 'three'])
    expect((await owner.get('/api/found-reports', { status: 'LOST' })).status).toBe(400)
  })

  test('is deleted by its owner, with the asset, with the code and with the account', async () => {
    const owner = await server.person()
    const [asset, other, code] = [await findableAsset(owner), await findableAsset(owner), await findableCode(owner)]
    const paths = [
      await report(server, asset),
      await report(server, other),
      await report(server, code),
      await report(server, await findableCode(owner)),
    ]
    const alive = async () => Promise.all(paths.map(async (path) => (await readThread(server, path)).status))
    const ids = (await reportsOf(owner)).map((r) => r.id).toReversed()
    ok(await owner.call('found.deleteReport', { params: { id: ids[0]! } }))
    expect(await alive()).toEqual([404, 200, 200, 200])
    ok(await deleteAsset(owner, other.id))
    expect(await alive()).toEqual([404, 404, 200, 200])
    ok(await owner.call('qrCodes.delete', { params: { id: code.id } }))
    // It may come back from the trash.
    expect(await alive()).toEqual([404, 404, 200, 200])
    ok(await owner.call('qrCodes.deleteTrashed', { params: { id: code.id } }))
    expect(await alive()).toEqual([404, 404, 404, 200])
    const left = await findableCode(owner)
    ok(await owner.call('auth.deleteAccount'))
    await until(async () => (await alive())[3] === 404, 'the reports of the account are deleted')
    // The page of the code stays, but leads to nobody.
    expect(await formOf(server, left)).toBeNull()
  })
})

test('a conversation is found by its whole secret only', async () => {
  const path = await report(server, await findableAsset(alice))
  for (const other of [path.slice(0, -1), `${path}A`, path.replace(/.$/, (c) => (c === 'A' ? 'Q' : 'A'))])
    for (const reply of [await readThread(server, other), await writeThread(server, other, 'hi')])
      expect(reply.status).toBe(404)
  expect(ok(await readThread(server, path)).data.messages).toHaveLength(1)
})
