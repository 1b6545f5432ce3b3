/** Designs of QR codes, and the codes that have them. */

import { beforeAll, describe, expect, test } from 'bun:test'

import type { CreateDesign, DesignView } from '#domains/qr-codes/designs/designs.model.ts'
import { designJobs, replacedSince } from '#domains/qr-codes/designs/designs.service.ts'
import { findPicture } from '#domains/qr-codes/looks/looks.store.ts'
import { pixelsToPng } from '#lib/qr/design/png.ts'
import { DAY } from '#platform/clock.ts'

import { jpeg, pathOf, png, text, uploaded, usedStorage } from '../files/helpers.ts'
import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org, setRole } from '../orgs/helpers.ts'
import { createCode } from './helpers.ts'

const { server, admin, alice, bob, mallory } = useServer({ people: ['alice', 'bob', 'mallory'] })
let org: Org

beforeAll(async () => {
  org = await createOrg(alice)
  await addMembers(alice, org, bob)
})

let counter = 0
const createDesign = async (person: Person, fields: Partial<CreateDesign> = {}): Promise<DesignView> =>
  ok(await person.call('qrCodeDesigns.create', { body: { name: `design ${++counter}`, ...fields } })).data
const list = async (person: Person, query: { orgId?: number; page?: number; size?: number } = {}) =>
  ok(await person.call('qrCodeDesigns.list', { query })).data
const update = (person: Person, id: number, body: object) =>
  person.call('qrCodeDesigns.update', { params: { id }, body })
const remove = (person: Person, id: number, force?: boolean) =>
  person.call('qrCodeDesigns.delete', { params: { id }, query: { force } })
const find = async (person: Person, id: number, query: { orgId?: number } = {}) =>
  (await list(person, { size: 100, ...query })).items.find((one) => one.id === id)
const codeOf = async (person: Person, id: number) => ok(await person.call('qrCodes.get', { params: { id } })).data

/** A file that can be in a design. */
const picture = async (person: Person, fields: { orgId?: number } = {}, size = 64): Promise<number> =>
  (await uploaded(person, png(size), { type: 'qr_code', name: 'logo.png', ...fields })).id

/** Words in a frame are no code, which a reader could find instead of the right one. */
async function strip(person: Person, width = 600, height = 150): Promise<number> {
  const rgba = new Uint8Array(width * height * 4).fill(255)
  rgba[4 * ++counter] = 0
  const bytes = pixelsToPng({ width, height, rgba })
  return (await uploaded(person, bytes, { type: 'qr_code', name: 'words.png' })).id
}

const LOGO = { size: 15, plate: 'SQUARE' } as const
const FULL = {
  name: 'Blue dots',
  fg: '1A2B6C',
  bg: 'ffffff',
  margin: 3,
  level: 'H',
  modules: 'DOTS',
  eyes: 'ROUNDED',
  eyeColor: '7f0000',
  gradient: { type: 'LINEAR', to: '003300', angle: 90 },
} as const

describe('A design', () => {
  test('is created with all its values, or with a name only', async () => {
    const [logo, words] = [await picture(alice), await strip(alice)]
    const full = await createDesign(alice, {
      ...FULL,
      logo: { fileId: logo, ...LOGO },
      frame: { position: 'BELOW', text: 'مسح', textFileId: words, color: '00AA00' },
      isDefault: true,
    })
    expect(full).toEqual({
      ...FULL,
      id: expect.any(Number),
      orgId: null,
      fg: '1a2b6c',
      logo: { fileId: logo, ...LOGO, url: expect.stringContaining(`/api/files/${logo}/content?`) },
      frame: {
        position: 'BELOW',
        text: 'مسح',
        textFileId: words,
        color: '00aa00',
        url: expect.stringContaining(`/api/files/${words}/content?`),
      },
      isDefault: true,
      codeCount: 0,
      version: 1,
      createdAt: expect.any(Number),
      updatedAt: full.createdAt,
    })
    expect(await createDesign(alice)).toMatchObject({
      fg: '000000',
      bg: 'ffffff',
      margin: 4,
      level: null,
      modules: 'SQUARE',
      eyes: 'SQUARE',
      eyeColor: null,
      gradient: null,
      logo: null,
      frame: null,
      isDefault: false,
    })
  })

  test('is changed only in the given values, and null clears', async () => {
    const { id } = await createDesign(alice, FULL)
    const changed = ok(await update(alice, id, { name: 'Dots', eyeColor: null })).data
    expect(changed).toMatchObject({ ...FULL, name: 'Dots', fg: '1a2b6c', eyeColor: null, version: 2 })
    const cleared = ok(await update(alice, id, { gradient: null, level: null })).data
    expect(cleared).toMatchObject({ gradient: null, level: null, modules: 'DOTS', version: 3 })
    // The same values change nothing.
    expect(ok(await update(alice, id, { name: 'Dots', fg: '1a2b6c' })).data).toEqual(cleared)
  })

  test('can be sent back as it was answered', async () => {
    const logo = await picture(alice)
    const design = await createDesign(alice, {
      logo: { fileId: logo, ...LOGO },
      frame: { position: 'ABOVE', text: '' },
    })
    const again = ok(await update(alice, design.id, design)).data
    expect(again).toEqual(design)
  })

  test('is not changed by a request with an earlier version', async () => {
    const { id } = await createDesign(alice)
    const put = (version: number, fg: string) =>
      alice.send('PUT', `/api/qr-code-designs/${id}`, { body: { fg }, headers: { 'if-match': `"${version}"` } })
    expect((await put(1, '111111')).status).toBe(200)
    const late = await put(1, '222222')
    expect(late.status).toBe(412)
    expect((await find(alice, id))!.fg).toBe('111111')
  })

  test.each([
    ['without a name', { name: '' }, 'body.name'],
    ['with a colour by name', { fg: 'red' }, 'body.fg'],
    ['with a margin of one module', { margin: 1 }, 'body.margin'],
    ['with unknown modules', { modules: 'STARS' }, 'body.modules'],
    ['with a full turn', { gradient: { type: 'LINEAR', to: '000000', angle: 360 } }, 'body.gradient.angle'],
    ['with a logo that is too large', { logo: { fileId: 1, size: 26, plate: 'NONE' } }, 'body.logo.size'],
    ['with a long text', { frame: { position: 'BELOW', text: 'x'.repeat(61) } }, 'body.frame.text'],
    ['with grey on white', { fg: '999999' }, 'body.fg'],
    ['with white on black', { fg: 'ffffff', bg: '000000' }, 'body.fg'],
    ['with pale eyes', { eyeColor: 'cccccc' }, 'body.eyeColor'],
    ['with a gradient into yellow', { gradient: { type: 'RADIAL', to: 'ffee00', angle: 0 } }, 'body.gradient.to'],
  ])('is refused %s', async (_, fields, path) => {
    const before = await createDesign(alice, FULL)
    const { total } = await list(alice)
    const refused = [
      await alice.send('POST', '/api/qr-code-designs', { body: { name: 'x', ...fields } }),
      await update(alice, before.id, fields),
    ]
    for (const { status, details } of refused) {
      expect(status).toBe(400)
      expect(details!.map((one) => one.path)).toContain(path)
    }
    expect((await list(alice)).total).toBe(total)
    expect(await find(alice, before.id)).toEqual(before)
  })

  test('is the default of its owner until another one is', async () => {
    const user = await server.person()
    const first = await createDesign(user, { isDefault: true })
    const second = await createDesign(user, { isDefault: true })
    expect((await find(user, first.id))!).toMatchObject({ isDefault: false, version: 2 })
    ok(await update(user, first.id, { isDefault: true }))
    expect((await find(user, second.id))!.isDefault).toBe(false)
    const some = await Promise.all(Array.from({ length: 10 }, () => createDesign(user)))
    await race(10, (i) => update(user, some[i]!.id, { isDefault: true }))
    expect((await list(user)).items.filter((one) => one.isDefault)).toHaveLength(1)
  })
})

describe('The list of designs', () => {
  test('is in the order of the names, and has those of the owner only', async () => {
    const user = await server.person()
    for (const name of ['C', 'A', 'B']) await createDesign(user, { name })
    const ofOrg = await createDesign(alice, { name: 'of the organization', orgId: org.id })
    expect((await list(user)).items.map(({ name }) => name)).toEqual(['A', 'B', 'C'])
    expect(await list(user, { page: 2, size: 2 })).toMatchObject({ total: 3, items: [{ name: 'C' }] })
    expect((await list(bob, { orgId: org.id })).items).toEqual([ofOrg])
    expect((await mallory.call('qrCodeDesigns.list', { query: { orgId: org.id } })).status).toBe(403)
    expect((await server.request('GET', '/api/qr-code-designs')).status).toBe(401)
  })

  test('of 30 designs made at once beyond 50 in total, has no more than 50', async () => {
    const user = await server.person()
    for (let i = 0; i < 40; i++) await createDesign(user)
    const answers = await race(30, () => user.call('qrCodeDesigns.create', { body: { name: 'x' } }))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(answers.find(({ status }) => status !== 200)).toMatchObject({ status: 429, code: 4022 })
    expect((await list(user)).total).toBe(50)
  })
})

describe('Designs of others', () => {
  test('are not found, and stay as they are', async () => {
    const own = await createDesign(alice, FULL)
    const ofOrg = await createDesign(alice, { orgId: org.id })
    for (const person of [mallory, bob])
      for (const { id } of [own, ofOrg]) {
        // A member may know of the design of the organization.
        const status = person === bob && id === ofOrg.id ? 403 : 404
        expect((await update(person, id, { name: 'stolen' })).status).toBe(status)
        expect((await remove(person, id)).status).toBe(status)
      }
    expect((await bob.call('qrCodeDesigns.create', { body: { name: 'x', orgId: org.id } })).status).toBe(403)
    await setRole(alice, org, bob, 'ADMIN')
    expect((await update(bob, ofOrg.id, { name: 'changed' })).status).toBe(200)
    await setRole(alice, org, bob, 'MEMBER')
    expect(await find(alice, own.id)).toEqual(own)
  })

  test('cannot be given to codes', async () => {
    const own = await createDesign(alice)
    const ofOrg = await createDesign(alice, { orgId: org.id })
    const code = await createCode(mallory)
    for (const designId of [own.id, ofOrg.id, 999_999]) {
      const created = await mallory.call('qrCodes.create', { body: { name: 'x', content: 'x', designId } })
      const changed = await mallory.call('qrCodes.update', { params: { id: code.id }, body: { designId } })
      for (const { status, details } of [created, changed])
        expect([status, details![0]!.path]).toEqual([400, 'body.designId'])
    }
    // Not even one of the organization to a personal code of a member.
    const { status } = await alice.call('qrCodes.create', { body: { name: 'x', content: 'x', designId: ofOrg.id } })
    expect(status).toBe(400)
    expect(await codeOf(mallory, code.id)).toEqual(code)
  })
})

describe('The pictures of a design', () => {
  test('belong to it until it has others, and are deleted with it', async () => {
    const user = await server.person()
    const [first, second] = [await picture(user), await picture(user)]
    const design = await createDesign(user, { logo: { fileId: first, ...LOGO } })
    expect(ok(await user.call('files.get', { params: { id: first } })).data).toMatchObject({
      entityType: 'QR_DESIGN',
      entityId: design.id,
    })
    expect((await server.request('GET', pathOf(design.logo!.url!))).status).toBe(200)
    expect((await user.call('files.delete', { params: { id: first } })).status).toBe(400)
    ok(await update(user, design.id, { logo: { fileId: second, ...LOGO } }))
    expect((await user.call('files.get', { params: { id: first } })).status).toBe(404)
    ok(await remove(user, design.id))
    expect((await user.call('files.get', { params: { id: second } })).status).toBe(404)
    expect(await usedStorage(user)).toBe(0)
  })

  test('of an organization are seen by those who may read its codes', async () => {
    const logo = await picture(alice, { orgId: org.id })
    await createDesign(alice, { orgId: org.id, logo: { fileId: logo, ...LOGO } })
    expect((await bob.call('files.get', { params: { id: logo } })).status).toBe(200)
    expect((await mallory.call('files.get', { params: { id: logo } })).status).toBe(404)
  })

  test('must be unused pictures of the caller for the same owner', async () => {
    const used = await picture(alice)
    await createDesign(alice, { logo: { fileId: used, ...LOGO } })
    const wrong = [
      used,
      await picture(mallory),
      await picture(alice, { orgId: org.id }),
      (await uploaded(alice, png(), { type: 'album', name: 'photo.png' })).id,
      (await uploaded(alice, text(), { type: 'other', name: 'note.txt' })).id,
      999_999,
    ]
    const before = await list(alice)
    for (const fileId of wrong) {
      const asLogo = await alice.call('qrCodeDesigns.create', { body: { name: 'x', logo: { fileId, ...LOGO } } })
      expect([asLogo.status, asLogo.details![0]!.path]).toEqual([400, 'body.logo.fileId'])
      const asStrip = await alice.call('qrCodeDesigns.create', {
        body: { name: 'x', frame: { position: 'BELOW', text: '', textFileId: fileId } },
      })
      expect([asStrip.status, asStrip.details![0]!.path]).toEqual([400, 'body.frame.textFileId'])
    }
    expect(await list(alice)).toEqual(before)
  })

  test('are JPEG too, and a strip has at most 600 pixels of height', async () => {
    const photo = await uploaded(alice, await jpeg(), { type: 'qr_code', name: 'logo.jpg' })
    await createDesign(alice, { logo: { fileId: photo.id, ...LOGO } })
    const withStrip = (fileId: number) =>
      alice.call('qrCodeDesigns.create', {
        body: { name: 'strip', frame: { position: 'BELOW', text: 'Scan', textFileId: fileId } },
      })
    expect((await withStrip(await strip(alice, 2400, 600))).status).toBe(200)
    expect((await withStrip(await strip(alice, 2400, 601))).status).toBe(400)
    expect((await withStrip(await strip(alice, 2401, 10))).status).toBe(400)
    // Readers would find the code in the strip.
    expect((await withStrip(await picture(alice, {}, 600))).status).toBe(400)
  })
})

describe('A code with a design', () => {
  test('has a picture of its own address, and a new one with each change of its content', async () => {
    const design = await createDesign(alice, FULL)
    const plain = await createCode(alice)
    const code = await createCode(alice, { designId: design.id })
    expect(code.designId).toBe(design.id)
    expect(code.imageUrl).toMatch(/\/api\/qrcode\/design\/[0-9A-Za-z]{22}$/)
    const change = async (body: object) =>
      ok(await alice.call('qrCodes.update', { params: { id: code.id }, body })).data
    expect((await change({ name: 'another name' })).imageUrl).toBe(code.imageUrl)
    const changed = await change({ content: 'another content' })
    expect(changed.imageUrl).toMatch(/\/api\/qrcode\/design\/[0-9A-Za-z]{22}$/)
    expect(changed.imageUrl).not.toBe(code.imageUrl)
    const removed = await change({ designId: null })
    expect(removed.designId).toBeNull()
    expect(removed.imageUrl).toContain('/api/qrcode/render?content=another%20content')
    expect(await codeOf(alice, plain.id)).toEqual(plain)
  })

  test('of a batch has it too', async () => {
    const design = await createDesign(alice)
    const items = [
      { name: 'a', content: 'a', designId: design.id },
      { name: 'b', content: 'b' },
    ]
    const created = ok(await alice.call('qrCodes.createBatch', { body: { items } })).data.items
    expect(created.map(({ designId }) => designId)).toEqual([design.id, null])
    const refused = await alice.call('qrCodes.createBatch', {
      body: { items: [items[1]!, { ...items[0]!, designId: 999_999 }] },
    })
    expect([refused.status, refused.details!.map(({ path }) => path)]).toEqual([400, ['body.items.1.designId']])
    expect((await find(alice, design.id))!.codeCount).toBe(1)
  })

  test('gets a new picture with each change of the design, and a version', async () => {
    const design = await createDesign(alice)
    const codes = [await createCode(alice, { designId: design.id }), await createCode(alice, { designId: design.id })]
    expect((await find(alice, design.id))!.codeCount).toBe(2)
    ok(await update(alice, design.id, { name: 'new name', isDefault: true }))
    expect(await codeOf(alice, codes[0]!.id)).toEqual(codes[0]!)
    ok(await update(alice, design.id, { fg: '000055' }))
    for (const code of codes) {
      const after = await codeOf(alice, code.id)
      expect(after).toMatchObject({ version: code.version + 1, designId: design.id })
      expect(after.imageUrl).not.toBe(code.imageUrl)
      expect(after.updatedAt).toBeGreaterThan(code.updatedAt)
    }
  })

  test('that cannot be read with it is refused', async () => {
    const logo = await picture(alice)
    const design = await createDesign(alice, { logo: { fileId: logo, ...LOGO } })
    const long = 'x'.repeat(1400)
    const create = await alice.call('qrCodes.create', { body: { name: 'x', content: long, designId: design.id } })
    expect([create.status, create.details![0]!.path]).toEqual([400, 'body.designId'])
    const code = await createCode(alice, { designId: design.id })
    const changed = await alice.call('qrCodes.update', { params: { id: code.id }, body: { content: long } })
    expect([changed.status, changed.details![0]!.path]).toEqual([400, 'body.content'])
    expect(await codeOf(alice, code.id)).toEqual(code)
    const plain = await createCode(alice, { content: long })
    const given = await alice.call('qrCodes.update', { params: { id: plain.id }, body: { designId: design.id } })
    expect([given.status, given.details![0]!.path]).toEqual([400, 'body.designId'])
  })

  test('refuses a change of the design with which it could not be read, by its name', async () => {
    const design = await createDesign(alice)
    const long = await createCode(alice, { name: 'the long one', content: 'x'.repeat(1400), designId: design.id })
    await createCode(alice, { name: 'the short one', designId: design.id })
    const refused = await update(alice, design.id, { level: 'H' })
    expect(refused.status).toBe(400)
    expect(refused.details![0]!.message).toContain('the long one')
    expect(refused.details![0]!.message).not.toContain('the short one')
    expect(await codeOf(alice, long.id)).toEqual(long)
    expect(await find(alice, design.id)).toMatchObject({ level: null, version: 1 })
  })

  test('keeps it in the trash', async () => {
    const design = await createDesign(alice)
    const code = await createCode(alice, { designId: design.id })
    ok(await alice.call('qrCodes.delete', { params: { id: code.id } }))
    expect((await find(alice, design.id))!.codeCount).toBe(0)
    const restored = ok(await alice.call('qrCodes.restore', { params: { id: code.id } })).data
    expect(restored).toMatchObject({ designId: design.id, imageUrl: code.imageUrl })
  })

  test('becomes plain when the design is deleted with force, also in the trash', async () => {
    const design = await createDesign(alice)
    const codes = []
    for (let i = 0; i < 3; i++) codes.push(await createCode(alice, { designId: design.id }))
    ok(await alice.call('qrCodes.delete', { params: { id: codes[2]!.id } }))
    const refused = await remove(alice, design.id)
    expect(refused.status).toBe(400)
    expect(refused.message).toContain('2 codes')
    expect((await find(alice, design.id))!.codeCount).toBe(2)
    ok(await remove(alice, design.id, true))
    expect(await find(alice, design.id)).toBeUndefined()
    ok(await alice.call('qrCodes.restore', { params: { id: codes[2]!.id } }))
    for (const { id } of codes) {
      const code = await codeOf(alice, id)
      expect(code.designId).toBeNull()
      expect(code.imageUrl).toContain('/api/qrcode/render?')
    }
  })

  test('never refers to a design that was deleted at the same moment', async () => {
    const design = await createDesign(alice)
    const code = await createCode(alice)
    await race(
      2,
      async (i) =>
        void (i === 0
          ? await alice.call('qrCodes.update', { params: { id: code.id }, body: { designId: design.id } })
          : await remove(alice, design.id, true)),
    )
    expect((await codeOf(alice, code.id)).designId).toBeNull()
  })

  test('is plain in the copy of an organization', async () => {
    const design = await createDesign(alice)
    const code = await createCode(alice, { designId: design.id })
    ok(
      await alice.call('shares.create', {
        params: { orgId: org.id },
        body: { entityType: 'QR_CODE', sourceId: code.id },
      }),
    )
    const { items } = ok(await alice.call('qrCodes.list', { query: { orgId: org.id, keyword: code.name } })).data
    expect(items).toMatchObject([{ designId: null }])
  })
})

describe('The default design of an organization', () => {
  test('is that of new codes that name none and can be read with it', async () => {
    const other = await createOrg(alice)
    const create = (fields: object) =>
      alice.call('qrCodes.create', { body: { name: 'x', content: 'x', orgId: other.id, ...fields } })
    const design = await createDesign(alice, { orgId: other.id, isDefault: true, level: 'H' })
    expect(ok(await create({})).data.designId).toBe(design.id)
    expect(ok(await create({ designId: null })).data.designId).toBeNull()
    expect(ok(await create({ content: 'x'.repeat(1400) })).data.designId).toBeNull()
    await createDesign(alice, { isDefault: true })
    expect((await createCode(alice)).designId).toBeNull()
  })
})

test('An organization with designs can be dissolved, and its designs and files end', async () => {
  const other = await createOrg(alice)
  const logo = await picture(alice, { orgId: other.id })
  const design = await createDesign(alice, { orgId: other.id, logo: { fileId: logo, ...LOGO } })
  ok(await alice.call('orgs.dissolve', { params: { id: other.id }, query: { force: true } }))
  expect((await update(alice, design.id, { name: 'x' })).status).toBe(404)
  expect((await alice.call('files.get', { params: { id: logo } })).status).toBe(404)
})

test('The designs of a user are deleted with the account', async () => {
  const user = await server.person()
  const logo = await picture(user)
  const design = await createDesign(user, { logo: { fileId: logo, ...LOGO } })
  await createCode(user, { designId: design.id })
  ok(await user.call('auth.deleteAccount'))
  expect((await server.request('GET', pathOf(design.logo!.url!))).status).toBe(404)
})

test.if(inProcess)(
  'Pictures that an administrator deletes leave the design, and its codes get new pictures',
  async () => {
    const logo = await picture(alice)
    const design = await createDesign(alice, { logo: { fileId: logo, ...LOGO } })
    const code = await createCode(alice, { designId: design.id })
    ok(await admin.call('admin.files.delete', { params: { fileId: logo } }))
    expect(await find(alice, design.id)).toMatchObject({ logo: null, version: 2 })
    await designJobs[0]!.run(server.ctx)
    expect((await codeOf(alice, code.id)).imageUrl).not.toBe(code.imageUrl)
  },
)

test.if(inProcess)('The address of a picture works for 30 days after another one replaced it', async () => {
  const design = await createDesign(alice)
  const code = await createCode(alice, { designId: design.id })
  ok(await alice.call('qrCodes.update', { params: { id: code.id }, body: { content: 'new' } }))
  const key = code.imageUrl.split('/').at(-1)!
  const find = async () => {
    await designJobs[1]!.run(server.ctx)
    return findPicture(server.ctx.db.read, key, replacedSince(server.clock.now()))
  }
  expect((await find())?.source.content).toBe(code.content)
  await server.clock.advance(29 * DAY)
  expect((await find())?.source.content).toBe(code.content)
  await server.clock.advance(2 * DAY)
  expect(await find()).toBeUndefined()
})
