/** Fields and templates of users who delete their account, and of organizations that are dissolved. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { metaBindings, metaFields, metaRemovedOwners, metaTemplateFields, metaTemplates } from '#db/schema/meta.ts'
import { purgeRemovedOwners } from '#domains/metadata/owners.service.ts'
import { hasMetadata } from '#domains/metadata/owners.store.ts'
import { purgeValues } from '#domains/metadata/values/purging.service.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { createField, createTemplate, idsOf, listFields, setFields } from './helpers.ts'
import { createOrgCode, set } from './values-helpers.ts'

const objectName = 'qrCode'

describe.if(inProcess)('the metadata of removed owners', () => {
  const { server, owner, member } = useServer({ people: ['owner', 'member'] })
  const read = () => server.ctx.db.read

  async function left(key: number): Promise<Record<string, number>> {
    const fields = await read().select({ id: metaFields.id }).from(metaFields).where(eq(metaFields.owner, key))
    const templates = await read()
      .select({ id: metaTemplates.id })
      .from(metaTemplates)
      .where(eq(metaTemplates.owner, key))
    const removed = await read().select().from(metaRemovedOwners).where(eq(metaRemovedOwners.owner, key))
    return { fields: fields.length, templates: templates.length, removed: removed.length }
  }

  /** Fields, one of them deleted and one computed, and a template that is bound to a QR code. */
  async function fill(user: Person, orgId?: number): Promise<{ templateId: number; fieldId: number; codeId: number }> {
    const place = { objectName, ...(orgId !== undefined && { orgId }) }
    const field = await createField(user, { key: 'base', type: 'NUMBER' }, place)
    await createField(user, { type: 'COMPUTED', config: { formula: '{base} + 1' } }, place)
    const prefix = orgId === undefined ? '/api' : `/api/orgs/${orgId}`
    const deleted = await createField(user, {}, place)
    ok(await user.delete(`${prefix}/meta/objects/${objectName}/fields/${deleted.id}`))
    const template = await createTemplate(user, {}, place)
    await setFields(user, template.id, [field.id], orgId)
    const code = orgId === undefined ? await createCode(user) : await createOrgCode(user, { id: orgId })
    const path = `${prefix}/meta/objects/${objectName}/entities/${code.id}/templates`
    ok(await user.post(path, { templateIds: [template.id] }))
    return { templateId: template.id, fieldId: field.id, codeId: code.id }
  }

  test('a deleted account loses its fields and templates, after their values, and those of others stay', async () => {
    const [user, other] = [await server.person(), await server.person()]
    const [made, kept] = [await fill(user), await fill(other)]
    await set(user, made.codeId, made.fieldId, 5)
    ok(await user.post('/api/auth/account/delete', { password: user.password }))
    expect(await left(-user.id)).toEqual({ fields: 3, templates: 1, removed: 1 })
    await purgeRemovedOwners(server.ctx)
    // The field with a value waits for the job that deletes values.
    expect(await left(-user.id)).toEqual({ fields: 1, templates: 0, removed: 1 })
    await purgeValues(server.ctx)
    await purgeRemovedOwners(server.ctx)
    expect(await left(-user.id)).toEqual({ fields: 0, templates: 0, removed: 0 })
    for (const table of [metaTemplateFields, metaBindings])
      expect(await read().select().from(table).where(eq(table.templateId, made.templateId))).toEqual([])
    expect(await left(-other.id)).toEqual({ fields: 3, templates: 1, removed: 0 })
    expect(idsOf(await listFields(other, { scope: 'USER' }, objectName))).toContain(kept.fieldId)
  })

  test('a dissolved organization loses its fields and templates, and its members keep their own', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const made = await fill(owner, org.id)
    const own = await createField(member, {}, { objectName })
    ok(await owner.send('DELETE', `/api/qr-codes/${made.codeId}`, { query: { orgId: org.id } }))
    ok(await owner.send('DELETE', `/api/orgs/${org.id}`, { query: { force: true } }))
    await purgeValues(server.ctx)
    await purgeRemovedOwners(server.ctx)
    expect(await left(org.id)).toEqual({ fields: 0, templates: 0, removed: 0 })
    expect(idsOf(await listFields(member, { scope: 'USER' }, objectName))).toEqual([own.id])
  })

  test('templates with more bindings than one write deletes are deleted in several', async () => {
    const user = await server.person()
    const { templateId } = await fill(user)
    await server.ctx.db.write('test.bindMany', async (tx) => {
      const rows = Array.from({ length: 1200 }, (_, i) => ({
        objectName,
        entityId: 900_000 + i,
        templateId,
        position: 0,
      }))
      await tx.insert(metaBindings).values(rows)
    })
    ok(await user.post('/api/auth/account/delete', { password: user.password }))
    await purgeRemovedOwners(server.ctx)
    expect(await left(-user.id)).toEqual({ fields: 0, templates: 0, removed: 0 })
  })

  test('a member who leaves an organization keeps the own fields and no longer sees those of the organization', async () => {
    const org = await createOrg(owner)
    const user = await server.person()
    await addMembers(owner, org, user)
    await createField(owner, {}, { orgId: org.id })
    const own = await createField(user)
    expect(await listFields(user, { orgId: org.id, scope: 'ORG' })).toHaveLength(1)
    ok(await leave(user, org))
    expect((await user.get('/api/meta/objects/asset/fields', { orgId: org.id })).status).toBe(403)
    expect(idsOf(await listFields(user, { scope: 'USER' }))).toEqual([own.id])
  })

  test('a user with a field or a template counts as one who made something', async () => {
    const [none, withField, withTemplate] = [await server.person(), await server.person(), await server.person()]
    await createField(withField)
    await createTemplate(withTemplate)
    const has = (user: Person) => hasMetadata(read(), user.id)
    expect([await has(none), await has(withField), await has(withTemplate)]).toEqual([false, true, true])
  })
})
