import { Enum, Line, Model, Multiline, Nullable, Raw, type Static, Type } from '#http/schema.ts'

import { EXAMPLE_CERTIFICATE } from '../server.model.ts'
import { CHALLENGES, KINDS } from './certificate.model.ts'

const EXAMPLE_KEY = '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEG\n-----END PRIVATE KEY-----'

const Dns = Model(
  'ServerCertificateDnsChange',
  {
    description:
      'ACMEDNS has `url`, `username`, `password` and `subdomain`; CLOUDFLARE has `token` and `zoneId`. A secret that you leave out stays as it is, ' +
      'unless the service is another one.',
  },
  {
    kind: Enum(['ACMEDNS', 'CLOUDFLARE']),
    url: Type.Optional(Line(500, 1, { examples: ['https://auth.acme-dns.io'] })),
    username: Type.Optional(Line(200, 1, { examples: ['eabcdb41-d89f-4580-826f-3e62e9755ef2'] })),
    password: Type.Optional(Raw(1000, 1, { examples: ['pbAXVjlIOE01xbut7YnAbkhMQIkcwoHO0ek2j4Q0'] })),
    subdomain: Type.Optional(Line(200, 1, { examples: ['d420c923-bbd7-4056-ab64-c3ca54c9b3cf'] })),
    token: Type.Optional(Raw(1000, 1, { examples: ['YQSn-xWAQiiEh9qM58wZNnyQS7FUdoqGIUAbrh7T'] })),
    zoneId: Type.Optional(Line(100, 1, { examples: ['023e105f4ecef8ad9ca31a8372d0c353'] })),
  },
)

export const CertificateChange = Model(
  'ServerCertificateChange',
  { description: 'Fields that you leave out stay as they are. `kind: NONE` forgets all others.' },
  {
    kind: Type.Optional(Enum(KINDS)),
    names: Type.Optional(
      Type.Array(Line(253, 1, { examples: ['qr.example.org'] }), {
        maxItems: 20,
        description:
          'ACME behind a proxy: instead of the name of its address. LOCAL_CA: further names of the private network',
      }),
    ),
    email: Type.Optional(Nullable(Line(254, 3, { examples: ['desk@library.example.org'] }))),
    agreedToTerms: Type.Optional(
      Type.Boolean({ description: 'You agree to the terms of the authority: required with each other `directory`' }),
    ),
    challenge: Type.Optional(Enum(CHALLENGES)),
    dns: Type.Optional(Nullable(Dns)),
    directory: Type.Optional(
      Nullable(
        Line(1000, 9, { description: "Null: Let's Encrypt", examples: ['https://ca.example.org/acme/directory'] }),
      ),
    ),
    chain: Type.Optional(
      Nullable(
        Multiline(100_000, 1, {
          description: 'PEM, the certificate of the server first',
          examples: [EXAMPLE_CERTIFICATE],
        }),
      ),
    ),
    key: Type.Optional(
      Nullable(Raw(50_000, 1, { description: 'PEM without a password. Never returned', examples: [EXAMPLE_KEY] })),
    ),
    newAuthority: Type.Optional(
      Type.Boolean({ description: 'Replaces the authority of LOCAL_CA: all devices must trust the new one' }),
    ),
  },
)
export type CertificateChange = Static<typeof CertificateChange>
