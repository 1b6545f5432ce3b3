import { describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import type { OrgStatus } from '#db/schema/orgs.ts'
import { setOrgStatus } from '#domains/orgs/index.ts'

import { inProcess, ok, race, until, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { jpeg, png, text, upload, uploaded, usedStorage } from './helpers.ts'

const { server, admin, alice, mallory } = useServer({ people: ['alice', 'mallory'] })

/** Sends bytes as they are, as the body of a form with the boundary `b`. */
const raw = (body: string | Uint8Array, type = 'multipart/form-data; boundary=b') =>
  alice.send('POST', '/api/files/upload', { body, headers: { 'content-type': type } })

const part = (disposition: string, content: string): string =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`

const stagingFolder = (): string => join(server.dataDir, 'files', '.staging')
const staged = (): Promise<string[]> => readdir(stagingFolder()).catch(() => [])

describe('POST /api/files/upload', () => {
  test('stores a file and answers what is stored', async () => {
    const bytes = text(100)
    const file = await uploaded(alice, bytes, { name: '报告.txt' })
    expect(file).toMatchObject({
      type: 'other',
      name: '报告.txt',
      mime: 'text/plain',
      size: 100,
      width: null,
      height: null,
      sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
      thumbnailUrl: null,
      storage: 'LOCAL',
      entityType: null,
      entityId: null,
      orgId: null,
      uploaderId: alice.id,
      capture: null,
    })
    expect(ok(await alice.call('files.get', { params: { id: file.id } })).data).toMatchObject({
      id: file.id,
      size: 100,
    })
    expect(await staged()).toEqual([])
  })

  test('stores an image with its size and a thumbnail', async () => {
    const file = await uploaded(alice, await jpeg(640), { type: 'album' }, 'IMG_1.JPG')
    expect(file).toMatchObject({ type: 'album', name: 'IMG_1.JPG', mime: 'image/jpeg', width: 640, height: 640 })
    expect(file.thumbnailUrl).toContain('variant=THUMBNAIL')
    expect(await staged()).toEqual([])
  })

  test('accepts the type in any case, snake_case names, and an empty orgId', async () => {
    const form = new FormData()
    form.set('type', 'QR_CODE')
    form.set('org_id', '')
    form.set('request_id', 'snake-case-1')
    form.set('file', new File([png()], 'a.png'))
    const first = await alice.send('POST', '/api/files/upload', { body: form })
    expect(ok(first).data).toMatchObject({ type: 'qr_code', orgId: null })
  })

  test('takes the name of the file from filename and filename*, without its path', async () => {
    for (const [disposition, name] of [
      ['filename="../../etc/照片.txt"', '照片.txt'],
      ["filename*=UTF-8''%E7%85%A7%E7%89%87%202.txt", '照片 2.txt'],
      ['filename="C:\\\\temp\\\\a.txt"', 'a.txt'],
      ['filename=""', 'file.txt'],
    ] as const) {
      const reply = await raw(`${part(`name="file"; ${disposition}`, `text for ${name} ${Math.random()}`)}--b--\r\n`)
      expect(ok(reply).data.name).toBe(name)
    }
  })

  test('answers 400 without a file, with two files, and with an empty one', async () => {
    const file = part('name="file"; filename="a.txt"', 'some text')
    for (const body of [
      '--b--\r\n',
      part('name="type"', 'other') + '--b--\r\n',
      part('name="file"', 'a text field') + '--b--\r\n',
      file + file + '--b--\r\n',
      file + part('name="other"; filename="b.txt"', 'another') + '--b--\r\n',
      part('name="file"; filename="a.txt"', '') + '--b--\r\n',
    ]) {
      const reply = await raw(body)
      expect(`${reply.status} ${body}`).toStartWith('400')
    }
    expect(await staged()).toEqual([])
  })

  test('answers 400 to a form that ends too early or has no boundary', async () => {
    const file = part('name="file"; filename="a.txt"', 'some text')
    for (const body of [file, file.slice(0, -4), '--b\r\nContent-Dispo', 'no form', '', file + file.slice(0, -4)]) {
      const reply = await raw(body)
      expect(`${reply.status} ${JSON.stringify(body)}`).toStartWith('400')
    }
    expect((await raw(file, 'multipart/form-data; charset=utf-8')).status).toBe(400)
    expect(await staged()).toEqual([])
  })

  test('survives fields with the names of object members', async () => {
    const fields = ['__proto__', 'constructor', 'toString', '']
      .map((name) => part(`name="${name}"`, '{"a":1}'))
      .join('')
    const file = part('name="file"; filename="a.txt"', `text ${Math.random()}`)
    expect((await raw(`${fields}${file}--b--\r\n`)).status).toBe(200)
    expect(({} as { a?: number }).a).toBeUndefined()
  })

  test('answers 400 to too many fields or one that is too long', async () => {
    const file = part('name="file"; filename="a.txt"', `text ${Math.random()}`)
    const many = Array.from({ length: 60 }, (_, i) => part(`name="f${i}"`, 'x')).join('')
    expect((await raw(`${many}${file}--b--\r\n`)).status).toBe(400)
    expect((await raw(`${part('name="long"', 'x'.repeat(200_000))}${file}--b--\r\n`)).status).toBe(400)
    expect(await staged()).toEqual([])
  })

  test('answers 415 to a body that is not a form', async () => {
    expect((await alice.post('/api/files/upload', { name: 'x' })).status).toBe(415)
  })

  test('answers 415 to a type that the bytes do not have or the kind of file does not take', async () => {
    const before = await usedStorage(alice)
    for (const [bytes, type, name] of [
      [text(), 'album', 'photo.jpg'],
      [new TextEncoder().encode('<html><script>alert(1)</script>'), 'other', 'page.txt'],
      [new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'avatar', 'picture.png'],
      [new TextEncoder().encode('MZ\0\0\x01\0'), 'other', 'program.txt'],
      [png().slice(0, 60), 'avatar', 'cut.png'],
    ] as const)
      expect((await upload(alice, bytes, { type }, name)).status).toBe(415)
    expect(await usedStorage(alice)).toBe(before)
    expect(await staged()).toEqual([])
  })

  test('answers 401 without a token', async () => {
    const form = new FormData()
    form.set('file', new File([text()], 'a.txt'))
    expect((await server.request('POST', '/api/files/upload', { body: form })).status).toBe(401)
  })

  test('answers the first file to a repeated requestId, and counts it once', async () => {
    const before = await usedStorage(alice)
    const requestId = `request-${Math.random()}`
    const first = await uploaded(alice, text(200), { requestId })
    const again = await uploaded(alice, text(300), { requestId })
    expect(again).toEqual(first)
    expect(await usedStorage(alice)).toBe(before + 200)
    const other = await uploaded(mallory, text(300), { requestId })
    expect(other.id).not.toBe(first.id)
    expect((await upload(alice, text(), { requestId: 'short' })).status).toBe(400)
  })

  test('50 uploads with one requestId make one file', async () => {
    const before = await usedStorage(alice)
    const requestId = `race-${Math.random()}`
    const files = await race(50, () => uploaded(alice, text(70), { requestId }))
    expect(new Set(files.map(({ id }) => id)).size).toBe(1)
    expect(await usedStorage(alice)).toBe(before + 70)
  })

  test('an organization takes files from members with the point for their type', async () => {
    const org = await createOrg(alice)
    const guest = await server.person()
    await addMembers(alice, org, guest)
    await setRole(alice, org, guest, 'GUEST')
    const file = await uploaded(alice, png(), { type: 'album', orgId: org.id }, 'a.png')
    expect(file.orgId).toBe(org.id)
    for (const type of ['avatar', 'other'] as const)
      expect((await upload(alice, png(), { type, orgId: org.id })).status).toBe(400)
    for (const person of [guest, mallory])
      for (const type of ['album', 'activity', 'asset', 'qr_code', 'org'] as const)
        expect((await upload(person, png(), { type, orgId: org.id })).status).toBe(403)
    expect((await upload(alice, png(), { type: 'album', orgId: 999_999_999 })).status).toBe(403)
    expect((await upload(alice, png(), { type: 'album', orgId: -1 })).status).toBe(400)
  })

  test('takes the organization in the query too, before the body, and so does POST /api/files/sts-token', async () => {
    const org = await createOrg(alice)
    const other = await createOrg(mallory)
    const form = (orgId?: number): FormData => {
      const data = new FormData()
      data.set('type', 'album')
      if (orgId !== undefined) data.set('orgId', String(orgId))
      data.set('file', new File([png()], 'a.png'))
      return data
    }
    const post = (path: string, body: unknown) => alice.send('POST', path, { body })
    const ticket = { name: 'a', size: 10, type: 'album' }
    for (const name of ['orgId', 'org_id']) {
      const mine = await post(`/api/files/upload?${name}=${org.id}`, form(other.id))
      expect(ok(mine).data.orgId).toBe(org.id)
      expect((await post(`/api/files/upload?${name}=${other.id}`, form(org.id))).status).toBe(403)
      ok(await post(`/api/files/sts-token?${name}=${org.id}`, { ...ticket, orgId: other.id }))
      expect((await post(`/api/files/sts-token?${name}=${other.id}`, ticket)).status).toBe(403)
    }
    expect(ok(await post('/api/files/upload?orgId=', form())).data.orgId).toBeNull()
  })
})

describe('DELETE /api/files/:id', () => {
  test('deletes the file, its bytes and its storage', async () => {
    const before = await usedStorage(alice)
    const { id } = await uploaded(alice, text(500))
    ok(await alice.call('files.delete', { params: { id } }))
    expect((await alice.call('files.get', { params: { id } })).status).toBe(404)
    expect((await alice.call('files.delete', { params: { id } })).status).toBe(404)
    expect(await usedStorage(alice)).toBe(before)
  })

  test('answers 404 to others and changes nothing', async () => {
    const { id } = await uploaded(alice, text())
    for (const person of [mallory, admin]) {
      expect((await person.call('files.get', { params: { id } })).status).toBe(404)
      expect((await person.call('files.delete', { params: { id } })).status).toBe(404)
    }
    expect((await alice.call('files.get', { params: { id } })).status).toBe(200)
  })

  test('lets a manager of the organization delete the unused file of another member', async () => {
    const org = await createOrg(alice)
    const member = await server.person()
    await addMembers(alice, org, member)
    const { id } = await uploaded(member, png(), { type: 'album', orgId: org.id })
    expect((await mallory.call('files.delete', { params: { id } })).status).toBe(404)
    expect((await alice.call('files.delete', { params: { id } })).status).toBe(200)
    expect((await member.call('files.get', { params: { id } })).status).toBe(404)
  })

  test('keeps members from deleting what others have uploaded and not used yet', async () => {
    const org = await createOrg(alice)
    const [member, other] = [await server.person(), await server.person()]
    await addMembers(alice, org, member)
    await addMembers(alice, org, other)
    for (const type of ['album', 'asset'] as const) {
      const bytes = type === 'album' ? png() : text()
      const { id } = await uploaded(alice, bytes, { type, orgId: org.id })
      expect((await member.call('files.delete', { params: { id } })).status).toBe(404)
      ok(await alice.call('files.get', { params: { id } }))
    }
    // Their own they may.
    const own = await uploaded(member, png(), { type: 'album', orgId: org.id })
    expect((await other.call('files.delete', { params: { id: own.id } })).status).toBe(404)
    ok(await member.call('files.delete', { params: { id: own.id } }))
  })
})

describe.if(inProcess)('in a disabled organization', () => {
  test('no file can be deleted, not even by its uploader', async () => {
    const org = await createOrg(alice)
    const member = await server.person()
    await addMembers(alice, org, member)
    const { id } = await uploaded(member, png(), { type: 'album', orgId: org.id })
    const setStatus = (status: OrgStatus) =>
      server.ctx.db.write('test', (tx) => setOrgStatus(server.ctx, tx, org.id, status))
    await setStatus('DISABLED')
    expect((await member.call('files.delete', { params: { id } })).status).toBe(403)
    expect((await alice.call('files.delete', { params: { id } })).status).toBe(404)
    expect((await member.call('files.get', { params: { id } })).status).toBe(200)
    await setStatus('ACTIVE')
    ok(await member.call('files.delete', { params: { id } }))
  })
})

describe.if(inProcess)('storage', () => {
  test('the same bytes are stored once and deleted with the last file', async () => {
    const bytes = text(333)
    const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
    const keys = async () => Array.fromAsync(server.ctx.blobs.list(`${sha256.slice(0, 2)}/${sha256}`), ({ key }) => key)
    const files = await race(50, () => uploaded(alice, bytes))
    expect(new Set(files.map(({ id }) => id)).size).toBe(50)
    // Bytes are deleted after the answer.
    await until(async () => (await keys()).length === 1)
    await race(49, (i) => alice.call('files.delete', { params: { id: files[i]!.id } }).then(ok))
    expect(await keys()).toHaveLength(1)
    ok(await alice.call('files.delete', { params: { id: files[49]!.id } }))
    await until(async () => (await keys()).length === 0)
  })
})
