/** Shapes of the short links of codes in requests and answers. */

import { Enum, Id, Line, Model, Nullable, Raw, RowVersion, type Static, Text, Time, Type } from '#http/schema.ts'
import { RULE_DEVICES } from '#lib/link-rules.ts'
import { MAX_TARGET_BYTES } from '#lib/link-target.ts'
import { DEVICES } from '#lib/visitor.ts'

import { OPENS, Slug } from '../codes/codes.model.ts'

/** No address has more characters than bytes; `targetProblem` counts the bytes and names them. */
const Target = Raw(2 * MAX_TARGET_BYTES, 1, {
  description: `An address with https: or http:, at most ${MAX_TARGET_BYTES} bytes`,
  examples: ['https://example.com/menu'],
})
const Language = Type.String({ pattern: '^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,7}$', examples: ['zh-Hans'] })
const Country = Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2', examples: ['DE'] })
const Hour = Type.String({ pattern: '^(?:[01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['09:00'] })

export const MAX_RULES = 20
const MAX_LANGUAGES = 20
const MAX_COUNTRIES = 60

const conditions = {
  from: { ...Time, description: 'From this time on' },
  to: { ...Time, description: 'Before this time' },
  weekdays: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
    minItems: 1,
    maxItems: 7,
    uniqueItems: true,
    description: 'Monday is 1. With `hours` over midnight, the day on which they begin',
    examples: [[6, 7]],
  }),
  hours: Type.Object(
    { from: Hour, to: Hour },
    { description: 'On the clocks of `timeZone`, `to` exclusive; over midnight if `to` is not after `from`' },
  ),
  timeZone: Line(64, 1, { description: 'IANA name; required by `hours` and `weekdays`', examples: ['Asia/Shanghai'] }),
  devices: Type.Array(Enum(RULE_DEVICES), {
    minItems: 1,
    maxItems: RULE_DEVICES.length,
    uniqueItems: true,
    description: 'MOBILE: IOS, ANDROID. DESKTOP: WINDOWS, MACOS, LINUX',
    examples: [['IOS']],
  }),
  languages: Type.Array(Language, {
    minItems: 1,
    maxItems: MAX_LANGUAGES,
    description: 'BCP 47. The first choice of the visitor is one of them, or begins with one and a hyphen',
  }),
  countries: Type.Array(Country, {
    minItems: 1,
    maxItems: MAX_COUNTRIES,
    description: 'Where the address of the visitor is; needs a file of countries on the server',
  }),
  firstScans: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'Only the first scans that reach the rule since it was set; never robots',
    examples: [100],
  }),
}

const RULE_EXAMPLE = {
  target: 'https://example.com/weekend',
  weekdays: [6, 7],
  hours: { from: '09:00', to: '18:00' },
  timeZone: 'Asia/Shanghai',
  devices: ['IOS'],
}

export const LinkRuleInput = Model(
  'LinkRuleInput',
  { examples: [RULE_EXAMPLE] },
  {
    target: Target,
    from: Type.Optional(Nullable(conditions.from)),
    to: Type.Optional(Nullable(conditions.to)),
    weekdays: Type.Optional(Nullable(conditions.weekdays)),
    hours: Type.Optional(Nullable(conditions.hours)),
    timeZone: Type.Optional(Nullable(conditions.timeZone)),
    devices: Type.Optional(Nullable(conditions.devices)),
    languages: Type.Optional(Nullable(conditions.languages)),
    countries: Type.Optional(Nullable(conditions.countries)),
    firstScans: Type.Optional(Nullable(conditions.firstScans)),
  },
)
export type LinkRuleInput = Static<typeof LinkRuleInput>

const LinkRuleView = Model('LinkRule', {
  target: Target,
  from: Nullable(conditions.from),
  to: Nullable(conditions.to),
  weekdays: Nullable(conditions.weekdays),
  hours: Nullable(conditions.hours),
  timeZone: Nullable(conditions.timeZone),
  devices: Nullable(conditions.devices),
  languages: Nullable(conditions.languages),
  countries: Nullable(conditions.countries),
  firstScans: Nullable(conditions.firstScans),
})

const MaxScans = Type.Integer({
  minimum: 1,
  maximum: 10_000_000,
  description: 'Scans since it was set that get their target; the next ones find the link used up',
  examples: [500],
})
const Warn = Type.Boolean({ description: 'Show the target on a page with a button first' })
const ForwardQuery = Type.Boolean({
  description: 'Append the parameters of the scanned address that the target does not have',
})
const FALLBACK = 'Where expired and used-up links lead; without it they show a page'

export const LinkView = Model('QrCodeLink', {
  slug: Text('spring-menu'),
  shortUrl: Text('http://localhost:8080/q/spring-menu'),
  aliases: Type.Array(Text('menu-2025'), { description: 'Earlier slugs, which lead to the same place' }),
  opens: Enum(OPENS),
  target: { ...Text('https://example.com/menu'), description: 'The content of the code' },
  forwardQuery: ForwardQuery,
  warn: Warn,
  warnsAlways: Type.Boolean({
    description: 'The server shows the target first whatever `warn` says: see the setting `links.direct`',
  }),
  rules: Type.Array(LinkRuleView, { description: 'The first one that holds leads the scan' }),
  fallbackUrl: Nullable({ ...Target, description: FALLBACK }),
  expiresAt: Nullable(Time),
  maxScans: Nullable(MaxScans),
  scansLeft: Nullable(Type.Integer({ minimum: 0, description: 'Of `maxScans`' })),
  hasPassword: Type.Boolean(),
  earlierScans: Type.Integer({ minimum: 0, description: 'Scans that another service counted before the import' }),
  version: RowVersion,
})
export type LinkView = Static<typeof LinkView>

export const UpdateLink = Model(
  'UpdateQrCodeLink',
  { description: 'Absent fields stay; null clears a field. A code without a slug gets one.' },
  {
    slug: Type.Optional(Nullable({ ...Slug, examples: ['weekend-menu'] })),
    opens: Type.Optional(Nullable(Enum(OPENS))),
    forwardQuery: Type.Optional(Nullable(ForwardQuery)),
    warn: Type.Optional(Nullable(Warn)),
    rules: Type.Optional(Nullable(Type.Array(LinkRuleInput, { maxItems: MAX_RULES }))),
    fallbackUrl: Type.Optional(Nullable({ ...Target, description: FALLBACK })),
    expiresAt: Type.Optional(Nullable({ ...Time, description: 'In the future', examples: [4_102_444_800_000] })),
    maxScans: Type.Optional(Nullable(MaxScans)),
    password: Type.Optional(
      Nullable(Raw(128, 4, { description: 'Asked for in each scan. Never shown', examples: ['tulip-market'] })),
    ),
    orgId: Type.Optional(Nullable(Id)),
  },
)
export type UpdateLink = Static<typeof UpdateLink>

export const TryLink = Model('TryQrCodeLink', {
  at: Type.Optional(Nullable({ ...Time, description: 'Default: now' })),
  device: Type.Optional(Nullable(Enum(DEVICES, { examples: ['IOS'] }))),
  language: Type.Optional(Nullable(Language)),
  country: Type.Optional(Nullable(Country)),
  orgId: Type.Optional(Nullable(Id)),
})
export type TryLink = Static<typeof TryLink>

export const TRY_RESULTS = [
  'TARGET',
  'FALLBACK',
  'PAGE',
  'PASSWORD',
  'EXPIRED',
  'EXHAUSTED',
  'BLOCKED',
  'PRIVATE',
] as const

export const TriedLink = Model('TriedQrCodeLink', {
  result: Enum(TRY_RESULTS, { examples: ['TARGET'] }),
  target: Nullable(Text('https://example.com/menu')),
  ruleIndex: Nullable(Type.Integer({ minimum: 0, description: 'Of the rule that holds, from 0' })),
})
export type TriedLink = Static<typeof TriedLink>

export const LinkInfo = Model('QrCodeLinkInfo', {
  slug: Text('spring-menu'),
  name: Text('Spring menu'),
  opens: Nullable(Enum(OPENS)),
  host: Nullable({
    ...Text('example.com'),
    description: 'Where it leads; null if that is not a web address, or hidden',
  }),
  blank: Type.Boolean({ description: 'Of a label that is not in use yet' }),
})
export type LinkInfo = Static<typeof LinkInfo>
