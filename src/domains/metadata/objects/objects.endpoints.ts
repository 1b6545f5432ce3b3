import { app, endpoint } from '#http/endpoint.ts'

import { ObjectPage, ObjectsQuery } from './objects.model.ts'
import { listObjects } from './objects.service.ts'

export const objectEndpoints = [
  endpoint({
    id: 'metadata.objects',
    method: 'GET',
    path: '/api/meta/objects',
    summary: 'List the objects that can have metadata',
    description: 'Objects are kinds of things, such as assets and QR codes. Disabled ones are left out.',
    tag: 'Metadata',
    access: app('meta_object:read'),
    query: ObjectsQuery,
    data: ObjectPage,
    run: ({ ctx, actor, query, caller }) => listObjects(ctx, actor, query, caller.locale),
  }),
]
