import { Enum, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

import { LockedBy, ServerVersion, Sources } from '../server.model.ts'

export const KINDS = ['NONE', 'ACME', 'FILES', 'LOCAL_CA'] as const
export const CHALLENGES = ['HTTP_01', 'DNS_01'] as const
const STATUSES = ['NONE', 'PENDING', 'VALID', 'EXPIRING', 'EXPIRED', 'FAILED'] as const

const Authority = Model(
  'ServerCertificateAuthority',
  { description: 'The authority of LOCAL_CA, which devices trust; null for other kinds' },
  {
    name: Text('Tessera local authority 3f9a'),
    fingerprint: Text('3F9A 01C2', { description: 'SHA-256, to be compared with the page about trust' }),
    notAfter: Time,
    trustedDevices: Type.Integer({ minimum: 0, description: 'That have used the server since it was made' }),
  },
)

const DnsService = Model(
  'ServerCertificateDns',
  { description: 'Sets the records of DNS_01; null for HTTP_01. Its secrets are never returned' },
  {
    kind: Enum(['COMMAND', 'ACMEDNS', 'CLOUDFLARE'], { description: 'COMMAND: `TESSERA_ACME_DNS_COMMAND`' }),
    url: Nullable(Text('https://auth.acme-dns.io')),
    username: Nullable(Text('eabcdb41-d89f-4580-826f-3e62e9755ef2')),
    subdomain: Nullable(Text('d420c923-bbd7-4056-ab64-c3ca54c9b3cf')),
    zoneId: Nullable(Text('023e105f4ecef8ad9ca31a8372d0c353')),
    hasPassword: Type.Boolean({ description: 'Of ACMEDNS' }),
    hasToken: Type.Boolean({ description: 'Of CLOUDFLARE' }),
  },
)

const Failure = Model('ServerCertificateError', {
  code: Text('connection', { description: 'A type of RFC 8555 without its prefix, or one of this program' }),
  sentence: Text('The authority cannot reach qr.example.org at port 80.', { description: 'In your language' }),
  at: Time,
})

const OfProcess = Model('ServerCertificateProcess', {
  id: Text('5f3a9c02'),
  serial: Nullable(Text('4d1f', { description: 'Null: it serves no certificate, or did not answer in time' })),
  since: Nullable(Time),
})

export const CertificateView = Model('ServerCertificate', {
  version: ServerVersion,
  kind: Enum(KINDS, {
    description:
      'ACME: from a certificate authority by itself. FILES: from the operator. LOCAL_CA: from the authority of this server, for a private network',
  }),
  status: Enum(STATUSES, {
    description:
      'PENDING: it is being ordered. FAILED: there is none for all names, and the last attempt failed. EXPIRING: it should have been renewed by now',
  }),
  names: Type.Array(Text('qr.example.org'), { description: 'With ACME those for which it is ordered' }),
  issuer: Nullable(Text("Let's Encrypt, R11")),
  serial: Nullable(Text('4d1f', { description: 'Hexadecimal. Of the process that answers, as the next ones' })),
  notBefore: Nullable(Time),
  notAfter: Nullable(Time),
  renewAt: Nullable({ ...Time, description: 'Of the next attempt, if the last one failed' }),
  lastAttemptAt: Nullable({ ...Time, description: 'Of an order of ACME' }),
  lastError: Nullable(Failure),
  challenge: Nullable(Enum(CHALLENGES, { description: 'Null for other kinds than ACME, as the next ones' })),
  directory: Nullable(Text('https://acme-v02.api.letsencrypt.org/directory')),
  email: Nullable(Text('desk@library.example.org')),
  staging: Type.Boolean({ description: 'The authority issues certificates for tests, which no browser trusts' }),
  dns: Nullable(DnsService),
  authority: Nullable(Authority),
  processes: Type.Array(OfProcess, { description: 'The certificate with which each process serves' }),
  sources: Sources,
  lockedBy: LockedBy,
})
export type CertificateView = Static<typeof CertificateView>
