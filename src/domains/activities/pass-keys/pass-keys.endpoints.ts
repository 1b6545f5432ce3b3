import { endpoint, open } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { PassKeys } from './pass-keys.model.ts'
import { publishedKeys } from './pass-keys.service.ts'

export const passKeyEndpoints = [
  endpoint({
    id: 'passes.keys',
    method: 'GET',
    path: '/api/activities/:id/pass/keys',
    summary: 'Get the public keys of passes',
    description:
      'With these keys a gate without a network checks passes. All activities of the server have the same keys, so the answer is the same ' +
      'for every id and does not reveal whether there is such an activity.',
    tag: 'Passes',
    access: open,
    params: ById,
    data: PassKeys,
    run: ({ ctx }) => publishedKeys(ctx),
  }),
]
