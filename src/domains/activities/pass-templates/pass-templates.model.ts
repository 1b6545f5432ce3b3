/** Shapes of pass templates in requests and answers. */

import {
  Description,
  Id,
  Line,
  Model,
  Name,
  Nullable,
  PageOf,
  PageQuery,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

import { MAX_TOKEN_TIME } from '../pass-keys/pass-keys.rules.ts'
import { MaxUses } from '../passes/passes.model.ts'

/** Templates of a user or of an organization. */
export const MAX_TEMPLATES = 100
const MAX_FIELDS = 10

const Color = Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: '`#rrggbb`', examples: ['#1f6feb'] })
const Key = Type.String({
  pattern: '^[A-Za-z][A-Za-z0-9_]{0,49}$',
  description: 'A letter, then letters, digits and `_`; unique in the template',
  examples: ['seat'],
})
const Field = Model('PassTemplateField', { key: Key, label: Line(50, 1, { examples: ['Seat'] }) })
export const ValidFrom = { ...Time, maximum: MAX_TOKEN_TIME }
export const ValidTo = { ...Time, examples: [4_070_908_800_000] }
const ValidDays = Type.Integer({
  minimum: 1,
  maximum: 36_500,
  description: 'Days from `validFrom`, or from the issue, to the end. Not used if there is a `validTo`',
  examples: [30],
})

const optional = {
  description: Type.Optional(Nullable(Description)),
  color: Type.Optional(Nullable(Color)),
  fields: Type.Optional(
    Nullable(
      Type.Array(Field, { maxItems: MAX_FIELDS, description: 'Lines of the passes below the name of the holder' }),
    ),
  ),
  validFrom: Type.Optional(Nullable(ValidFrom)),
  validTo: Type.Optional(Nullable(ValidTo)),
  validDays: Type.Optional(Nullable(ValidDays)),
  maxUses: Type.Optional(Nullable(MaxUses)),
  orgId: Type.Optional(Nullable(Id)),
}

export const CreateTemplate = Model('CreatePassTemplate', { name: Name, ...optional })
export type CreateTemplate = Static<typeof CreateTemplate>
export const UpdateTemplate = Model('UpdatePassTemplate', { name: Type.Optional(Name), ...optional })
export type UpdateTemplate = Static<typeof UpdateTemplate>

export const TemplateView = Model('PassTemplate', {
  id: Id,
  orgId: Nullable(Id),
  name: Text('Member card'),
  description: Nullable(Text('For members of the club')),
  color: Nullable(Text('#1f6feb')),
  fields: Type.Array(Field),
  validFrom: Nullable(Time),
  validTo: Nullable(Time),
  validDays: Nullable(ValidDays),
  maxUses: Nullable(MaxUses),
  createdAt: Time,
  updatedAt: Time,
})
export type TemplateView = Static<typeof TemplateView>

export const TemplatesQuery = PageQuery({ orgId: Type.Optional(Id) })
export type TemplatesQuery = Static<typeof TemplatesQuery>
export const TemplatePage = PageOf(TemplateView)
export const ByTemplate = Type.Object({ templateId: Id })
