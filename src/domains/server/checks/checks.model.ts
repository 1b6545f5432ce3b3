import { Enum, Id, Line, Model, type Static, Text, Time, Type } from '#http/schema.ts'
import { MINUTE } from '#platform/clock.ts'

/** How long the address of a check can be opened. */
export const CHECK_MS = 10 * MINUTE
/** Checks that wait at the same time. */
export const MAX_OPEN_CHECKS = 20
/** 128 bits in base64url. */
export const TOKEN_BYTES = 16
export const TOKEN = /^[\w-]{22}$/

export const NewCheck = Model('NewReachCheck', {
  url: Type.Optional(
    Line(300, 1, {
      description: 'The address to check, by default the public one. Without a scheme it is taken for `https:`',
      examples: ['https://qr.example.org'],
    }),
  ),
})
export type NewCheck = Static<typeof NewCheck>

export const StartedCheck = Model('StartedReachCheck', {
  id: Id,
  url: Text('https://qr.example.org/check/l3xVdFq0T8yJm2sWbNc7hA', {
    description: 'To be opened once, by the device with which you check',
  }),
  qrUrl: Text(
    'https://qr.example.org/api/qrcode/render?content=https%3A%2F%2Fqr.example.org%2Fcheck%2Fl3xVdFq0T8yJm2sWbNc7hA',
    {
      description: 'A picture of the QR code of `url`',
    },
  ),
  expiresAt: Time,
})
export type StartedCheck = Static<typeof StartedCheck>

const Visit = Model('ReachCheckVisit', {
  at: Time,
  network: Enum(['SAME', 'OTHER'], {
    description:
      'OTHER: the device has a public address that is not in the network of the server. SAME stands for everything else',
  }),
  scheme: Enum(['http', 'https']),
  secureContext: Type.Boolean({
    description:
      'Whether the browser allows the pages camera and position. Until its script has reported, concluded from `scheme`',
  }),
  browser: Text('Firefox', { description: 'The family of the browser' }),
})

export const CheckState = Model('ReachCheck', {
  status: Enum(['WAITING', 'SEEN', 'EXPIRED']),
  seen: Type.Array(Visit, {
    description: 'The device that opened the address; empty until then. Its own address is not kept',
  }),
})
export type CheckState = Static<typeof CheckState>

export const ByToken = Type.Object({
  token: Type.String({ maxLength: 100, pattern: '^[^/]*$', examples: ['l3xVdFq0T8yJm2sWbNc7hA'] }),
})

/** Findings of the script of the page. */
export const CheckReport = Model('ReachCheckReport', {
  scheme: Enum(['http', 'https']),
  secureContext: Type.Boolean({ examples: [true] }),
})
export type CheckReport = Static<typeof CheckReport>
