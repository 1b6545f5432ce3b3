/** Values that are files. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { metaPurges, metaValues } from '#db/schema/meta.ts'
import type { UploadedFile } from '#domains/files/uploads/uploads.model.ts'
import { purgeValues } from '#domains/metadata/values/purging.service.ts'
import { purgeTrash } from '#domains/qr-codes/index.ts'
import { DAY } from '#platform/clock.ts'

import { pathOf, png, text, uploaded } from '../files/helpers.ts'
import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { createCategory, createCode } from '../qr-codes/helpers.ts'
import { createField, createOrgCode, itemOf, list, pathsOf, put, set, valueIn } from './values-helpers.ts'

const { server, alice, owner, member, mallory } = useServer({ people: ['alice', 'owner', 'member', 'mallory'] })

interface FileValue {
  fileId: number
  name: string
  mime: string
  size: number
  url: string
  thumbnailUrl: string | null
}

const image = (person: Person, more = {}) => uploaded(person, png(), { type: 'qr_code', name: 'a.png', ...more })
const document = (person: Person, name = 'note.txt') => uploaded(person, text(), { type: 'asset', name }, name)
const filesIn = async (person: Person, entityId: number, fieldId: number) =>
  (await valueIn(person, entityId, fieldId)) as FileValue[] | null
const idsIn = async (person: Person, entityId: number, fieldId: number) =>
  (await filesIn(person, entityId, fieldId))?.map((file) => file.fileId)
const isThere = async (person: Person, file: UploadedFile): Promise<boolean> =>
  (await person.get(`/api/files/${file.id}`)).status === 200

describe('ATTACHMENT and PHOTO', () => {
  test('take files of the caller and answer them with addresses that work', async () => {
    const code = await createCode(alice)
    const [photo, attachment] = [await createField(alice, 'PHOTO'), await createField(alice, 'ATTACHMENT')]
    const [picture, note] = [await image(alice), await document(alice)]
    await set(alice, code.id, photo.id, [picture.id])
    await set(alice, code.id, attachment.id, [note.id])
    const [shown] = (await filesIn(alice, code.id, photo.id))!
    expect(shown).toMatchObject({ fileId: picture.id, name: 'a.png', mime: 'image/png', size: picture.size })
    expect((await server.request('GET', pathOf(shown!.url))).status).toBe(200)
    expect(shown!.thumbnailUrl).not.toBeNull()
    expect((await filesIn(alice, code.id, attachment.id))![0]).toMatchObject({ name: 'note.txt', thumbnailUrl: null })
    expect(ok(await alice.get(`/api/files/${picture.id}`)).data).toMatchObject({ entityType: 'META_VALUE' })
  })

  test('keep their order, and delete the files that a new value leaves out', async () => {
    const code = await createCode(alice)
    const field = await createField(alice, 'ATTACHMENT')
    const [a, b, c, d] = [await image(alice), await image(alice), await document(alice), await image(alice)]
    await set(alice, code.id, field.id, [a.id, b.id, c.id])
    await set(alice, code.id, field.id, [c.id, d.id, a.id])
    expect(await idsIn(alice, code.id, field.id)).toEqual([c.id, d.id, a.id])
    expect(await Promise.all([a, b, c, d].map((file) => isThere(alice, file)))).toEqual([true, false, true, true])
    await set(alice, code.id, field.id, [a.id, c.id])
    expect(await idsIn(alice, code.id, field.id)).toEqual([a.id, c.id])
    expect(await isThere(alice, c)).toBe(true)
    await set(alice, code.id, field.id, null)
    expect(await Promise.all([a, c, d].map((file) => isThere(alice, file)))).toEqual([false, false, false])
  })

  test('accept the objects of an answer, and equal files change nothing', async () => {
    const code = await createCode(alice)
    const field = await createField(alice, 'PHOTO')
    const file = await image(alice)
    await set(alice, code.id, field.id, [file.id])
    const before = await filesIn(alice, code.id, field.id)
    await set(alice, code.id, field.id, before)
    expect(await filesIn(alice, code.id, field.id)).toEqual(before)
  })

  test('refuse files that the caller may not use, of another kind, or too many', async () => {
    const code = await createCode(alice)
    const org = await createOrg(owner)
    const photo = await createField(alice, 'PHOTO', { max: 2 })
    const pdf = await createField(alice, 'ATTACHMENT', { accept: ['application/pdf', '.csv'] })
    const used = await image(alice)
    await set(alice, (await createCode(alice)).id, photo.id, [used.id])
    const [own, mine] = [await image(alice), await image(alice)]
    const refused: [number, unknown][] = [
      [photo.id, own.id],
      [photo.id, [(await image(mallory)).id]],
      [photo.id, [used.id]],
      [photo.id, [999_999_999]],
      [photo.id, [own.id, own.id]],
      [photo.id, [own.id, mine.id, (await image(alice)).id]],
      [photo.id, [(await document(alice)).id]],
      [pdf.id, [(await document(alice)).id]],
    ]
    for (const [fieldId, value] of refused) {
      const reply = await put(alice, code.id, [{ fieldId, value }])
      expect([reply.status, pathsOf(reply)]).toEqual([400, ['body.values.0.value']])
    }
    const ofOrg = await image(owner, { orgId: org.id })
    const field = await createField(owner, 'PHOTO')
    const own2 = await createCode(owner)
    expect((await put(owner, own2.id, [{ fieldId: field.id, value: [ofOrg.id] }])).status).toBe(400)
    const twice = [photo.id, pdf.id].map((fieldId) => ({ fieldId, value: [own.id] }))
    expect((await put(alice, code.id, twice)).status).toBe(400)
    expect(await filesIn(alice, code.id, photo.id)).toBeNull()
    expect(await isThere(alice, own)).toBe(true)
  })

  test('of an organization are seen by those who may see the item and the field', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const code = await createOrgCode(owner, org)
    const shared = await createField(owner, 'PHOTO', {}, { orgId: org.id })
    const own = await createField(owner, 'PHOTO')
    const [a, b] = [await image(owner, { orgId: org.id }), await image(owner, { orgId: org.id })]
    await set(owner, code.id, shared.id, [a.id])
    await set(owner, code.id, own.id, [b.id])
    expect(await isThere(member, a)).toBe(true)
    expect(await isThere(member, b)).toBe(false)
    expect(await isThere(mallory, a)).toBe(false)
    await setRole(owner, org, member, 'GUEST')
    expect(await isThere(member, a)).toBe(false)
  })
})

describe.if(inProcess)('values of items that are deleted permanently', () => {
  test('a deleted QR code and a deleted category take their values and files with them', async () => {
    const code = await createCode(alice)
    const category = await createCategory(alice, 'old')
    const field = await createField(alice, 'PHOTO')
    const ofCategory = await createField(alice, 'PHOTO', {}, { object: 'category' })
    const [a, b] = [await image(alice), await image(alice)]
    await set(alice, code.id, field.id, [a.id])
    ok(await put(alice, category, [{ fieldId: ofCategory.id, value: [b.id] }], { object: 'category' }))
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    ok(await alice.delete(`/api/categories/${category}`))
    server.clock.advance(31 * DAY)
    try {
      await purgeTrash(server.ctx)
    } finally {
      server.clock.advance(-31 * DAY)
    }
    await purgeValues(server.ctx)
    expect(await isThere(alice, a)).toBe(false)
    expect(await isThere(alice, b)).toBe(false)
    expect(await server.ctx.db.read.select().from(metaPurges)).toEqual([])
  })

  test('an organization can be dissolved although its values have files, which are deleted', async () => {
    const org = await createOrg(owner)
    const field = await createField(owner, 'PHOTO', {}, { object: 'org', orgId: org.id })
    const file = await uploaded(owner, png(), { type: 'org', name: 'a.png', orgId: org.id })
    ok(await put(owner, org.id, [{ fieldId: field.id, value: [file.id] }], { object: 'org' }))
    expect(itemOf(await list(owner, org.id, {}, 'org'), field.id).value).toHaveLength(1)
    ok(await owner.delete(`/api/orgs/${org.id}`))
    await purgeValues(server.ctx)
    expect(await isThere(owner, file)).toBe(false)
    expect(await rowsOf(field.id)).toEqual([])
  })

  test('a deleted account takes its values with it, also those in its fields on items of organizations', async () => {
    const gone = await server.person()
    const org = await createOrg(owner)
    await addMembers(owner, org, gone)
    await setRole(owner, org, gone, 'ADMIN')
    const code = await createOrgCode(owner, org)
    const shared = await createField(owner, 'TEXT', {}, { orgId: org.id })
    const own = await createField(gone, 'TEXT')
    await set(owner, code.id, shared.id, 'stays')
    await set(gone, code.id, own.id, 'goes')
    await set(gone, (await createCode(gone)).id, own.id, 'goes')
    ok(await gone.call('auth.deleteAccount'))
    await purgeValues(server.ctx)
    expect(await rowsOf(own.id)).toEqual([])
    expect(await valueIn(owner, code.id, shared.id)).toBe('stays')
  })
})

const rowsOf = (fieldId: number) => server.ctx.db.read.select().from(metaValues).where(eq(metaValues.fieldId, fieldId))
