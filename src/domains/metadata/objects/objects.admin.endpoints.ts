import { endpoint, platform } from '#http/endpoint.ts'

import { ByObject } from '../metadata.model.ts'
import { ChangeStatus, CreateObject, ObjectPage, ObjectsQuery, ObjectView } from './objects.model.ts'
import { createObject, listAllObjects, setObjectStatus } from './objects.service.ts'

const tag = 'Metadata'

export const objectAdminEndpoints = [
  endpoint({
    id: 'metadata.allObjects',
    method: 'GET',
    path: '/api/admin/meta/objects',
    summary: 'List all objects, also disabled ones',
    tag,
    access: platform('meta_object:read'),
    query: ObjectsQuery,
    data: ObjectPage,
    run: ({ ctx, query, caller }) => listAllObjects(ctx, query, caller.locale),
  }),
  endpoint({
    id: 'metadata.createObject',
    method: 'POST',
    path: '/api/admin/meta/objects',
    summary: 'Register an object',
    description:
      'You can create fields and templates for it at once. Things of an object that this version of the server does not know cannot have values.',
    tag,
    access: platform('meta_object:create'),
    logs: 'META_OBJECT_CREATE',
    body: CreateObject,
    data: ObjectView,
    run: ({ actor, body, caller }) => createObject(actor, body, caller.locale),
  }),
  endpoint({
    id: 'metadata.setObjectStatus',
    method: 'PATCH',
    path: '/api/admin/meta/objects/:objectName/status',
    summary: 'Enable or disable an object',
    description:
      'Disabling deletes nothing: fields, templates and values stay, and are there again when you enable the object. Until then all ' +
      'operations of users on them answer 404.',
    tag,
    access: platform('meta_object:update'),
    logs: 'META_OBJECT_STATUS',
    params: ByObject,
    body: ChangeStatus,
    data: ObjectView,
    run: ({ actor, params, body, caller }) => setObjectStatus(actor, params.objectName, body.enabled, caller.locale),
  }),
]
