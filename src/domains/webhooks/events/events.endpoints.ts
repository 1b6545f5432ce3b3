import { endpoint, open } from '#http/endpoint.ts'

import { answerSchema } from './events.service.ts'

export const eventEndpoints = [
  endpoint({
    id: 'webhooks.schema',
    method: 'GET',
    path: '/webhooks.json',
    summary: 'Get the schema of the events of webhooks',
    description:
      'JSON Schema 2020-12: each event is in `$defs` under its type, with its version, a description and an example.',
    tag: 'Webhooks',
    access: open,
    answers: 'application/schema+json',
    run: ({ ctx, request }) => answerSchema(ctx, request),
  }),
]
