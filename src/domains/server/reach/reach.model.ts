import { MODES } from '#config/config.ts'
import { MAX_ALIASES } from '#domains/settings/index.ts'
import { Enum, Line, Model, Nullable, type Static, Text, Type } from '#http/schema.ts'

import { AliasView } from '../aliases/aliases.model.ts'
import { LockedBy, ServerVersion, Sources } from '../server.model.ts'

const Mode = Enum(MODES, {
  description:
    'LOCAL: this computer only. NETWORK: the private network. DOMAIN: names of the internet. PROXY: another program ends TLS and passes requests on.',
})
const Port = Type.Integer({ minimum: 1, maximum: 65_535 })
const HttpPort = Type.Integer({ minimum: 0, maximum: 65_535 })
const HTTPS_PORT = { description: 'Null: 443, or 8443 in the mode NETWORK', examples: [443] }
const HTTP_PORT = {
  description:
    'With HTTPS: leads to it; null: 80 in the mode DOMAIN, otherwise none; 0: none. Without HTTPS: the server itself; null: that of the start',
  examples: [80],
}
const HOST = { description: 'Address to listen on; null: all of them' }
const NAMES = { description: 'DNS names and IP addresses, the public one first', maxItems: 20 }

export const ReachView = Model('ServerReach', {
  version: ServerVersion,
  mode: Mode,
  publicUrl: Text('https://qr.example.org', { description: 'Printed links and QR codes begin with it' }),
  names: Type.Array(Text('qr.example.org'), NAMES),
  host: Nullable(Text('0.0.0.0', HOST)),
  httpsPort: Nullable({ ...Port, ...HTTPS_PORT }),
  httpPort: Nullable({ ...HttpPort, ...HTTP_PORT }),
  loopback: Type.Boolean({ description: 'This computer reaches the server over plain HTTP, whatever the mode is' }),
  aliases: Type.Array(AliasView, { description: 'Earlier public addresses, whose printed codes still work' }),
  listeners: Type.Array(
    Model('ServerListener', {
      scheme: Enum(['http', 'https']),
      host: Text('127.0.0.1'),
      port: { ...Port, examples: [8080] },
    }),
    { description: 'Where the process that answers listens now' },
  ),
  warnings: Type.Array(Model('ServerWarning', { code: Text('PLAIN_HTTP'), text: Text('The address is not https.') })),
  sources: Sources,
  lockedBy: LockedBy,
})
export type ReachView = Static<typeof ReachView>

export const ReachChange = Model(
  'ServerReachChange',
  { description: 'Fields that you leave out stay as they are' },
  {
    mode: Type.Optional(Mode),
    names: Type.Optional(Type.Array(Line(253, 1, { examples: ['qr.example.org'] }), NAMES)),
    publicUrl: Type.Optional(
      Nullable(
        Line(300, 1, {
          description: 'Null: it follows from the names and ports',
          examples: ['https://qr.example.org'],
        }),
      ),
    ),
    host: Type.Optional(Nullable(Line(253, 1, { ...HOST, examples: ['0.0.0.0'] }))),
    httpsPort: Type.Optional(Nullable({ ...Port, ...HTTPS_PORT })),
    httpPort: Type.Optional(Nullable({ ...HttpPort, ...HTTP_PORT })),
    loopback: Type.Optional(Type.Boolean()),
    aliases: Type.Optional(
      Type.Array(Line(300, 1, { examples: ['http://192.168.1.20:8080'] }), {
        maxItems: MAX_ALIASES,
        description: 'The addresses of those that stay',
        examples: [[]],
      }),
    ),
  },
)
export type ReachChange = Static<typeof ReachChange>
