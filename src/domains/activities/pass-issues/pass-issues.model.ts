/** Shapes of requests that issue passes. */

import type { Budget } from '#http/budget.ts'
import { type Alternative, Deferred, Id, Line, Model, Nullable, OneOf, type Static, Type } from '#http/schema.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { ValidFrom, ValidTo } from '../pass-templates/pass-templates.model.ts'
import { MaxUses, PassView } from '../passes/passes.model.ts'

/** Passes in one request. */
export const MAX_HOLDERS = 5000

/** Every pass is a row that stays. An event of 50,000 visitors takes one day. */
export const ISSUED_PASSES: Budget = {
  name: 'issued-passes',
  counts: { en: 'issued passes', zh: '已发放的通行证' },
  per: 'user',
  limit: 50_000,
  windowMs: DAY,
  durable: true,
  countedByRun: true,
}

/** A repeated request is short, and its answer can have 15 MB and thousands of signatures. */
export const REPEATED_PASSES: Budget = {
  name: 'repeated-passes',
  counts: { en: 'passes in answers to repeated requests', zh: '重复请求返回的通行证' },
  per: 'user',
  limit: 50_000,
  windowMs: HOUR,
  countedByRun: true,
}

/** The answer shows the nickname of a user, and whether an id exists; the user gets a notification. */
export const PASSES_FOR_STRANGERS: Budget = {
  name: 'passes-for-strangers',
  counts: {
    en: 'passes for users who are neither members of the organization nor take part',
    zh: '发放给非成员且未参与用户的通行证',
  },
  per: 'user',
  limit: 200,
  windowMs: DAY,
  durable: true,
  countedByRun: true,
}

export const MAX_FIELDS = 10
/** Registrations that a request may name. */
const MAX_REGISTRATIONS = 500
export const FieldValue = Line(200)
export const Fields = Type.Unsafe<Record<string, unknown>>(
  Type.Record(Type.String(), Type.Unknown(), {
    // Fields of the request are merged with those of each holder.
    maxProperties: MAX_FIELDS,
    description:
      `Texts of at most 200 characters, by the keys of the fields of the template. Without a template, by at most ${MAX_FIELDS} labels ` +
      'of your choice',
    examples: [{ seat: 'Row 4, seat 12' }],
  }),
)
export const HolderName = Line(100, 1, { examples: ['Lin Mei'] })

export const Holder = OneOf('PassHolder', ['userId', 'name'], {
  userId: Type.Optional(Nullable({ ...Id, description: 'An active user, whose nickname becomes the name' })),
  name: Type.Optional(Nullable({ ...HolderName, description: 'Of a guest without an account. Not with `userId`' })),
  fields: Type.Optional(Nullable(Fields)),
})
export type Holder = Static<typeof Holder>

const values = {
  holders: Type.Optional(Deferred(Type.Array(Holder, { minItems: 1, maxItems: MAX_HOLDERS }))),
  userId: Type.Optional(Nullable({ ...Id, description: 'Instead of `holders`: one user' })),
  holderName: Type.Optional(Nullable({ ...HolderName, description: 'Instead of `holders`: one guest' })),
  toRegistered: Type.Optional(
    Nullable(
      Type.Boolean({
        description:
          `Instead of \`holders\`: everyone with a CONFIRMED registration and without a live pass, in the order of their ids. If there are ` +
          `more than ${MAX_HOLDERS}, the next call issues passes to the next ones; when all have one, \`items\` is empty`,
        examples: [true],
      }),
    ),
  ),
  registrationIds: Type.Optional(
    Nullable(
      Type.Array(Id, {
        minItems: 1,
        maxItems: MAX_REGISTRATIONS,
        uniqueItems: true,
        description: 'With `toRegistered`: only people with these registrations for the activity, users and guests',
        examples: [null],
      }),
    ),
  ),
  fields: Type.Optional(
    Nullable({ ...Fields, description: 'For all holders of the request; fields of a holder come first' }),
  ),
  validFrom: Type.Optional(Nullable({ ...ValidFrom, description: 'Default: of the template or the activity' })),
  validTo: Type.Optional(
    Nullable({ ...ValidTo, description: 'Default: of the template or the activity, whose end is the last resort' }),
  ),
  maxUses: Type.Optional(Nullable(MaxUses)),
  requestId: Type.Optional(
    Nullable(
      Type.String({
        minLength: 8,
        maxLength: 64,
        pattern: '^[\\x21-\\x7e]+$',
        description: 'If you repeat a request with the same id, you get the first passes again',
        examples: ['5d1f0e0a-batch-1'],
      }),
    ),
  ),
  orgId: Type.Optional(Nullable(Id)),
}
const alternatives: Alternative<keyof typeof values>[] = ['holders', 'userId', 'holderName', { toRegistered: [true] }]

export const IssuePasses = OneOf('IssuePasses', alternatives, {
  ...values,
  templateId: Type.Optional(
    Nullable({ ...Id, description: 'Of the owner of the activity. Default: that of the activity' }),
  ),
})
export type IssuePasses = Static<typeof IssuePasses>

export const IssueByTemplate = OneOf('IssuePassesByTemplate', alternatives, { ...values, activityId: Id })
export type IssueByTemplate = Static<typeof IssueByTemplate>

export const IssuedPasses = Model('IssuedPasses', {
  items: Type.Array(PassView, { description: 'In the order of the holders' }),
})
export type IssuedPasses = Static<typeof IssuedPasses>
