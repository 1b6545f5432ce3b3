import { endpoint, open } from '#http/endpoint.ts'
import { Type } from '#http/schema.ts'

import { answerChallenge } from './certificates.service.ts'

export const certificateEndpoints = [
  endpoint({
    id: 'certificates.challenge',
    method: 'GET',
    path: '/.well-known/acme-challenge/:token',
    summary: 'Show the answer to a challenge of a certificate authority',
    description:
      'The authority asks for it over plain HTTP at port 80, while the server gets a certificate (RFC 8555).',
    tag: 'Operations',
    access: open,
    unlimited: true,
    params: Type.Object({ token: Type.String({ examples: ['LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0'] }) }),
    answers: 'application/octet-stream',
    refuses: { 404: 'No authority has sent this token.' },
    run: ({ ctx, params }) => answerChallenge(ctx, params.token),
  }),
]
