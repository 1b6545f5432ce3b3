import type { LoggedFixture } from '../operation-log/logged-fixture.ts'
import { createGlobalField, createGlobalTemplate } from './helpers.ts'

const MISSING = 999_999_999
const GLOBAL = { scope: 'GLOBAL', orgId: null, userId: null }

export const logged: LoggedFixture = {
  'metadata.createObject': async ({ admin }) => {
    const create = (name: string) => admin.post('/api/admin/meta/objects', { name, label: 'Vehicle' })
    return {
      call: () => create('loggedVehicle'),
      row: {
        targetId: null,
        targetName: 'loggedVehicle',
        before: null,
        after: { name: 'loggedVehicle', label: 'Vehicle', description: '', enabled: true },
      },
      refused: [() => create('loggedVehicle'), () => create('Not a name')],
    }
  },
  'metadata.setObjectStatus': async ({ admin }) => {
    await admin.post('/api/admin/meta/objects', { name: 'loggedStatus', label: 'Status' })
    const set = (name: string, body: object) => admin.patch(`/api/admin/meta/objects/${name}/status`, body)
    return {
      call: () => set('loggedStatus', { enabled: false }),
      row: { targetId: null, targetName: 'loggedStatus', before: { enabled: true }, after: { enabled: false } },
      refused: [() => set('loggedNothing', { enabled: false }), () => set('loggedStatus', {})],
      unchanged: () => set('loggedStatus', { enabled: false }),
    }
  },
  'metadata.createAnyField': async ({ admin }) => {
    const create = (body: object) =>
      admin.post('/api/admin/meta/fields', {
        objectName: 'activity',
        key: 'logged',
        name: 'Logged',
        type: 'TEXT',
        ...body,
      })
    return {
      call: () => create({ scope: 'GLOBAL' }),
      row: {
        targetId: (reply) => reply.data.id as number,
        targetName: 'Logged',
        before: null,
        after: (reply) => ({
          objectName: 'activity',
          key: 'logged',
          name: 'Logged',
          type: 'TEXT',
          ...GLOBAL,
          entityColumn: null,
          config: reply.data.config as object,
          description: '',
          sortOrder: reply.data.sortOrder as number,
        }),
      },
      refused: [() => create({ scope: 'GLOBAL' }), () => create({ scope: 'ORG' })],
    }
  },
  'metadata.updateAnyField': async ({ admin }) => {
    const { id, name } = await createGlobalField(admin, {}, 'activity')
    const update = (body: object, which = id) => admin.put(`/api/admin/meta/fields/${which}`, body)
    return {
      call: () => update({ name: 'Renamed', description: '' }),
      row: { targetId: id, targetName: name, before: { name }, after: { name: 'Renamed' } },
      refused: [() => update({ name: 'Other' }, MISSING), () => update({ name: '' })],
      unchanged: () => update({ name: 'Renamed' }),
    }
  },
  'metadata.deleteAnyField': async ({ admin }) => {
    const field = await createGlobalField(admin, {}, 'activity')
    const { objectName, key, name, type, entityColumn, config, description, sortOrder } = field
    const remove = () => admin.delete(`/api/admin/meta/fields/${field.id}`)
    return {
      call: remove,
      row: {
        targetId: field.id,
        targetName: name,
        before: { objectName, key, name, type, ...GLOBAL, entityColumn, config, description, sortOrder },
        after: null,
      },
      refused: [remove],
    }
  },
  'metadata.createAnyTemplate': async ({ admin }) => {
    const create = (body: object) =>
      admin.post('/api/admin/meta/templates', { objectName: 'activity', name: 'Logged', ...body })
    return {
      call: () => create({ scope: 'GLOBAL' }),
      row: {
        targetId: (reply) => reply.data.id as number,
        targetName: 'Logged',
        before: null,
        after: { objectName: 'activity', name: 'Logged', description: '', ...GLOBAL, isDefault: false },
      },
      refused: [() => create({ scope: 'ORG' }), () => create({ scope: 'ORG', orgId: MISSING })],
    }
  },
  'metadata.updateAnyTemplate': async ({ admin }) => {
    const { id, name } = await createGlobalTemplate(admin, {}, 'activity')
    const update = (body: object, which = id) => admin.put(`/api/admin/meta/templates/${which}`, body)
    return {
      call: () => update({ name: 'Renamed', isDefault: true }),
      row: {
        targetId: id,
        targetName: name,
        before: { name, isDefault: false },
        after: { name: 'Renamed', isDefault: true },
      },
      refused: [() => update({ name: 'Other' }, MISSING), () => update({ name: '' })],
      unchanged: () => update({ isDefault: true }),
    }
  },
  'metadata.setAnyTemplateFields': async ({ admin }) => {
    const field = await createGlobalField(admin, {}, 'activity')
    const { id, name } = await createGlobalTemplate(admin, {}, 'activity')
    const set = (items: object[], which = id) => admin.put(`/api/admin/meta/templates/${which}/fields`, { items })
    const item = { fieldId: field.id, group: 'Sizes', required: true }
    return {
      call: () => set([item]),
      row: { targetId: id, targetName: name, before: { fields: [] }, after: { fields: [item] } },
      refused: [() => set([item], MISSING), () => set([{ fieldId: MISSING }])],
      unchanged: () => set([item]),
    }
  },
  'metadata.deleteAnyTemplate': async ({ admin }) => {
    const { id, name } = await createGlobalTemplate(admin, {}, 'activity')
    const remove = () => admin.delete(`/api/admin/meta/templates/${id}`)
    return {
      call: remove,
      row: {
        targetId: id,
        targetName: name,
        before: { objectName: 'activity', name, description: '', ...GLOBAL, isDefault: false },
        after: null,
      },
      refused: [remove],
    }
  },
}
