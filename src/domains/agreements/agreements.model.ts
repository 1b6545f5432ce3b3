import { AGREEMENT_TYPES } from '#db/schema/agreements.ts'
import {
  Enum,
  Id,
  Line,
  Model,
  Multiline,
  Named,
  PageOf,
  PageQuery,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

/** Maximum length of Markdown in the interface, in UTF-16 units. */
const MAX_CONTENT = 100_000

export const TypeName = Named('AgreementType', Enum(AGREEMENT_TYPES))
const Version = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Counts from 1 for each type',
  examples: [1],
})

const text = {
  title: Text('Terms of service'),
  content: Type.String({ description: 'Markdown', examples: ['## 1. Scope\n\nThese terms apply to **all users**.'] }),
  contentHtml: Type.String({
    description: 'The content as safe HTML, rendered by the server',
    examples: ['<h2>1. Scope</h2>\n<p>These terms apply to <strong>all users</strong>.</p>\n'],
  }),
}

export const CurrentQuery = Type.Object({ type: TypeName })

export const CurrentAgreement = Model('CurrentAgreement', { type: TypeName, version: Version, ...text })
export type CurrentAgreement = Static<typeof CurrentAgreement>

/** Accepts any text: unknown types are answered with 404. */
export const ByType = Type.Object({
  type: Line(64, 0, { description: '`service` or `privacy`', examples: ['service'] }),
})

export const AcceptAgreement = Model('AcceptAgreement', { type: TypeName, version: Version })
export type AcceptAgreement = Static<typeof AcceptAgreement>

export const AcceptanceView = Model('AgreementAcceptance', {
  type: TypeName,
  version: Version,
  acceptedAt: { ...Time, description: 'When you accepted this version for the first time' },
})
export type AcceptanceView = Static<typeof AcceptanceView>

export const PublishAgreement = Model('PublishAgreement', {
  type: TypeName,
  title: Line(100, 1, { examples: ['Terms of service'] }),
  content: Multiline(MAX_CONTENT, 1, {
    description: 'Markdown',
    examples: ['## 1. Scope\n\nThese terms apply to **all users**.'],
  }),
})
export type PublishAgreement = Static<typeof PublishAgreement>

export const AgreementsQuery = PageQuery({ type: Type.Optional(TypeName) })
export type AgreementsQuery = Static<typeof AgreementsQuery>

export const AgreementView = Model('Agreement', {
  id: Id,
  type: TypeName,
  version: Version,
  ...text,
  active: Type.Boolean({ description: 'Whether this is the current version; each type has at most one' }),
  publishedBy: { ...Id, description: 'The id of the administrator who published it' },
  createdAt: Time,
})
export type AgreementView = Static<typeof AgreementView>
export const AgreementPage = PageOf(AgreementView)
