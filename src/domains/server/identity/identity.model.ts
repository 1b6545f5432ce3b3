import { Documented, Enum, Line, Model, Multiline, Nullable, type Static, Text, Type } from '#http/schema.ts'

import { ServerVersion, Sources } from '../server.model.ts'

export const NAME_MAX = 60
export const SHORT_NAME_MAX = 12

const Color = Type.String({ pattern: '^(#[0-9a-fA-F]{6})?$', examples: ['#0b6b57'] })
const colorsOf = (name: string, description: string) =>
  Model(name, { description }, { primary: Nullable(Color), primaryDark: Nullable(Color) })

export const SiteColors = colorsOf('ServerColors', 'For light and for dark grounds; null: the product’s own')
export const EffectiveColors = colorsOf(
  'ServerEffectiveColors',
  'The colours that are shown: darker or lighter than `colors` where their contrast is too low for text (4.5:1)',
)

/** `identity.rules.ts` checks its form, with a message of its own. */
const Address = Nullable(Documented(Line(500, 0, { examples: ['https://library.example.org'] }), { format: 'uri' }))
const contact = {
  operator: Nullable(Line(200, 0, { examples: ['Willow Street Library'] })),
  email: Nullable(Documented(Line(254, 0, { examples: ['desk@library.example.org'] }), { format: 'email' })),
  phone: Nullable(Line(50, 0, { examples: ['+44 20 7946 0000'] })),
  url: Address,
  imprintUrl: Address,
  privacyUrl: Address,
}
export const Contact = Model('ServerContact', { description: 'Who runs the server; in the foot of its pages' }, contact)

export const IdentityView = Model('ServerIdentity', {
  version: ServerVersion,
  name: Text('Willow Street Library'),
  shortName: Text('Willow', { description: 'For places with little room; by default the beginning of `name`' }),
  description: Text('Our books, rooms and events'),
  logoUrl: Nullable(
    Text('https://qr.example.org/icons/k3f9x0a2b4c6/logo.png', {
      description:
        'A PNG within 512×512 pixels. Each logo has addresses of its own, which end with it. Null: the server has the mark of the product',
    }),
  ),
  iconUrl: Text('https://qr.example.org/icons/icon-512.png'),
  colors: SiteColors,
  effectiveColors: EffectiveColors,
  contact: Contact,
  sources: Sources,
})
export type IdentityView = Static<typeof IdentityView>

export const IdentityChange = Model(
  'ServerIdentityChange',
  { description: 'Fields that you leave out stay as they are; null, an empty text, or an empty object is the default' },
  {
    name: Type.Optional(Nullable(Line(NAME_MAX, 0, { examples: ['Willow Street Library'] }))),
    shortName: Type.Optional(Nullable(Line(SHORT_NAME_MAX, 0, { examples: ['Willow'] }))),
    description: Type.Optional(Nullable(Multiline(200, 0, { examples: ['Our books, rooms and events'] }))),
    colors: Type.Optional(Type.Partial(Type.Object({ primary: Nullable(Color), primaryDark: Nullable(Color) }))),
    contact: Type.Optional(Type.Partial(Type.Object(contact))),
  },
)
export type IdentityChange = Static<typeof IdentityChange>

/** The public part, for clients and the pages before the sign-in. */
export const ServerView = Model('Server', {
  name: Text('Willow Street Library'),
  shortName: Text('Willow'),
  publicUrl: Text('https://qr.example.org', { description: 'Printed links and QR codes begin with it' }),
  trustUrl: Nullable(
    Text('http://192.168.1.20:8080/trust', {
      description: 'Where devices learn to trust this server; null: it has no certificate authority of its own',
    }),
  ),
  logoUrl: IdentityView.properties.logoUrl,
  iconUrl: IdentityView.properties.iconUrl,
  colors: SiteColors,
  effectiveColors: EffectiveColors,
  contact: Contact,
  registration: Enum(['OPEN', 'INVITATION'], {
    description: 'INVITATION: accounts are made by administrators only',
  }),
  languages: Type.Array(Type.String(), { examples: [['en', 'zh']] }),
})
export type ServerView = Static<typeof ServerView>
