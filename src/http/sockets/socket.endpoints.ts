import { MINUTE } from '#platform/clock.ts'

import { app, endpoint } from '../endpoint.ts'
import { Type } from '../schema.ts'
import { upgradeRequired } from './handshake.ts'
import { SOCKET_POINT } from './sockets.ts'

/** An office behind one address comes back at once after a restart of the server. */
const HANDSHAKES_OF_ADDRESS = 600

export const socketEndpoints = [
  endpoint({
    id: 'chat.socket',
    method: 'GET',
    path: '/ws/chat',
    summary: 'Open a WebSocket for messages and notifications',
    description:
      'A WebSocket handshake. The token can also be sent as `Sec-WebSocket-Protocol: bearer, <token>`; the server then chooses `bearer`. ' +
      '`X-Device-Id` may be left out, but a session with a device cookie needs it. A page must be of the origin of the server or of `TESSERA_CORS_ORIGINS`. Frames are texts of JSON, ' +
      '`{type, id?, data}`. The server sends `hello`, `message`, `message.recalled`, `conversation.updated`, `read`, ' +
      '`contact.request`, `notification`, `typing`, `pong`, `error` and `session.revoked`; clients send `ping`, `ack` and `typing`. ' +
      'See docs/chat.md.',
    tag: 'Messages',
    access: app(SOCKET_POINT),
    query: Type.Object({
      token: Type.Optional(
        Type.String({
          description: 'The access token, for clients that cannot send headers',
          examples: ['eyJhbGciOiJIUzI1NiJ9.e30.c2ln'],
        }),
      ),
    }),
    opensSocket: true,
    refuses: { 426: 'The request is not a WebSocket handshake.' },
    budgets: [
      {
        name: 'sockets',
        counts: { en: 'connections', zh: '连接' },
        per: 'address',
        limit: HANDSHAKES_OF_ADDRESS,
        windowMs: MINUTE,
      },
    ],
    run: () => {
      throw upgradeRequired()
    },
  }),
]
