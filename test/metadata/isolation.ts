import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { ok, type Person } from '../harness/index.ts'
import { createField } from './helpers.ts'

const objectName = 'qrCode'

async function createCode(person: Person, orgId: number | null = null): Promise<number> {
  return ok(await person.call('qrCodes.create', { body: { name: 'a code', content: 'x', orgId } })).data.id
}

/** A field, and a template that has it. */
async function make(victim: Person, name: string, orgId?: number): Promise<{ field: number; template: number }> {
  const body = { name, type: 'NUMBER' } as const
  if (orgId !== undefined) {
    const field = ok(await victim.call('metadata.createOrgField', { params: { orgId, objectName }, body })).data.id
    const template = ok(
      await victim.call('metadata.createOrgTemplate', { params: { orgId, objectName }, body: { name } }),
    ).data.id
    const items = [{ fieldId: field, group: name }]
    ok(await victim.call('metadata.setOrgTemplateFields', { params: { orgId, id: template }, body: { items } }))
    return { field, template }
  }
  const field = ok(await victim.call('metadata.createField', { params: { objectName }, body })).data.id
  const template = ok(await victim.call('metadata.createTemplate', { params: { objectName }, body: { name } })).data.id
  const items = [{ fieldId: field, group: name }]
  ok(await victim.call('metadata.setTemplateFields', { params: { id: template }, body: { items } }))
  return { field, template }
}

/** After orgs, because a template and a QR code belong to the victim's organization. */
export const isolation: IsolationFixture = {
  async make({ victim, mark, owned }) {
    const orgId = Number(owned['org'])
    const [own, ofOrg, other] = [await make(victim, mark), await make(victim, mark, orgId), await make(victim, mark)]
    const [metaCode, metaOrgCode] = [await createCode(victim), await createCode(victim, orgId)]
    ok(
      await victim.call('metadata.bind', {
        params: { objectName, entityId: metaCode },
        body: { templateIds: [own.template] },
      }),
    )
    ok(
      await victim.call('metadata.orgBind', {
        params: { orgId, objectName, entityId: metaOrgCode },
        body: { templateIds: [ofOrg.template] },
      }),
    )
    for (const [entityId, place] of [
      [metaCode, {}],
      [metaOrgCode, { orgId }],
    ] as const) {
      const { id: fieldId } = await createField(victim, {}, { objectName, ...place })
      const values = [{ fieldId, value: mark }]
      ok(await victim.call('metadata.updateValues', { params: { objectName, entityId }, body: { values } }))
    }
    return {
      metaField: own.field,
      metaTemplate: own.template,
      metaOrgField: ofOrg.field,
      metaOrgTemplate: ofOrg.template,
      metaCode,
      metaOrgCode,
      anyMetaField: other.field,
      anyMetaTemplate: other.template,
    }
  },
  paths: [
    [/^\/api\/meta\/objects\/:objectName\/fields\/:/, 'metaField'],
    [/^\/api\/meta\/objects\/:objectName\/entities\/:/, 'metaCode'],
    [/^\/api\/meta\/templates\/:/, 'metaTemplate'],
    [/^\/api\/admin\/meta\/fields\/:/, 'anyMetaField'],
    [/^\/api\/admin\/meta\/templates\/:/, 'anyMetaTemplate'],
    [/^\/api\/admin\/meta\/orgs\/:/, 'org'],
  ],
  fields: {},
  fieldsIn: [
    [/^\/api\/orgs\/:orgId\/meta\/objects\/:objectName\/fields\/:/, { id: 'metaOrgField' }],
    [
      /^\/api\/orgs\/:orgId\/meta\//,
      { id: 'metaOrgTemplate', templateId: 'metaOrgTemplate', fieldId: 'metaOrgField', entityId: 'metaOrgCode' },
    ],
    [/^\/api\/admin\/meta\//, { fieldId: 'anyMetaField' }],
    [/^\/api\/meta\//, { templateId: 'metaTemplate', fieldId: 'metaField', entityId: 'metaCode' }],
  ],
  lists: [
    [/^\/api\/orgs\/:orgId\/meta\/objects\/:objectName\/fields\/:/, 'metaOrgField'],
    [/^\/api\/orgs\/:orgId\/meta\/templates/, 'metaOrgTemplate'],
  ],
  dual: { metaCode: createCode },
  reads: ({ org, metaCode, metaOrgCode, metaTemplate, metaOrgTemplate }) => [
    '/api/meta/objects/qrCode/fields?size=100',
    '/api/meta/objects/qrCode/templates?size=100',
    `/api/meta/objects/qrCode/entities/${metaCode}/templates`,
    `/api/meta/templates/${metaTemplate}/fields`,
    `/api/orgs/${org}/meta/objects/qrCode/fields?size=100`,
    `/api/orgs/${org}/meta/objects/qrCode/templates?size=100`,
    `/api/orgs/${org}/meta/objects/qrCode/entities/${metaOrgCode}/templates`,
    `/api/orgs/${org}/meta/templates/${metaOrgTemplate}/fields`,
    `/api/meta/objects/qrCode/entities/${metaCode}/values`,
    `/api/meta/objects/qrCode/entities/${metaOrgCode}/values`,
  ],
}
