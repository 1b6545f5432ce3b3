import {
  Description,
  Enum,
  Id,
  Line,
  Model,
  Name,
  Nullable,
  PageOf,
  PageQuery,
  RowVersion,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

import { FieldView } from '../fields/fields.model.ts'
import { ObjectName, scopeFields, scopeFilters, scopeInput } from '../metadata.model.ts'

/** Templates of an object that one owner (a user, an organization or scope GLOBAL) can have. */
export const MAX_TEMPLATES = 100
export const MAX_TEMPLATE_FIELDS = 100

export const ByOrgTemplate = Type.Object({ orgId: Id, id: Id })

const TemplateName = { ...Name, examples: ['Laptops'] }
const TemplateDescription = { ...Description, examples: ['For computers that leave the office'] }

const newTemplate = {
  name: TemplateName,
  description: Type.Optional(Nullable(TemplateDescription)),
  isDefault: Type.Optional(
    Type.Boolean({
      description: 'Whether it is in force for things without another template. Takes this from the other one',
    }),
  ),
}

export const CreateTemplate = Model('CreateMetaTemplate', newTemplate)
export type CreateTemplate = Static<typeof CreateTemplate>

const EXAMPLE = { objectName: 'asset', scope: 'GLOBAL', name: 'Laptops', isDefault: false }

export const CreateAnyTemplate = Model(
  'CreateAnyMetaTemplate',
  { examples: [EXAMPLE] },
  {
    objectName: ObjectName,
    ...scopeInput,
    ...newTemplate,
  },
)
export type CreateAnyTemplate = Static<typeof CreateAnyTemplate>

/** Only the fields present change. */
export const UpdateTemplate = Model('UpdateMetaTemplate', {
  ...newTemplate,
  name: Type.Optional(TemplateName),
})
export type UpdateTemplate = Static<typeof UpdateTemplate>

export const ForkTemplate = Model('ForkMetaTemplate', {
  name: Type.Optional(
    Nullable({ ...TemplateName, description: 'The name of the template with “ (copy)” if you give none' }),
  ),
})
export type ForkTemplate = Static<typeof ForkTemplate>

const keyword = Type.Optional(Line(100, 0, { description: 'Part of the name', examples: ['laptop'] }))

export const TemplatesQuery = PageQuery({
  categoryScope: Type.Optional(
    Enum(['PERSONAL', 'ORG'], {
      description: 'PERSONAL (default): GLOBAL templates and your own. ORG: GLOBAL templates and those of `orgId`',
    }),
  ),
  orgId: Type.Optional(Id),
  keyword,
})
export type TemplatesQuery = Static<typeof TemplatesQuery>

export const OrgTemplatesQuery = PageQuery({ keyword })
export type OrgTemplatesQuery = Static<typeof OrgTemplatesQuery>

export const AllTemplatesQuery = PageQuery({ ...scopeFilters, keyword })
export type AllTemplatesQuery = Static<typeof AllTemplatesQuery>

export const TemplatesOfOrgQuery = PageQuery({ objectName: Type.Optional(ObjectName), keyword })
export type TemplatesOfOrgQuery = Static<typeof TemplatesOfOrgQuery>

export const TemplateView = Model('MetaTemplate', {
  id: Id,
  objectName: Text('asset'),
  name: Text('Laptops'),
  description: Text('For computers that leave the office'),
  ...scopeFields,
  isDefault: Type.Boolean(),
  sourceId: Nullable({ ...Id, description: 'The template that it was copied from' }),
  fieldCount: Type.Integer({ minimum: 0 }),
  version: RowVersion,
  createdAt: Time,
  updatedAt: Time,
})
export type TemplateView = Static<typeof TemplateView>
export const TemplatePage = PageOf(TemplateView)

const Group = Line(100, 0, { description: 'A heading under which forms show the field', examples: ['Hardware'] })

export const SetTemplateFields = Model('SetMetaTemplateFields', {
  items: Type.Array(
    Type.Object({ fieldId: Id, group: Type.Optional(Nullable(Group)), required: Type.Optional(Type.Boolean()) }),
    { maxItems: MAX_TEMPLATE_FIELDS, description: 'All fields of the template, in their order' },
  ),
})
export type SetTemplateFields = Static<typeof SetTemplateFields>

export const TemplateFields = Model('MetaTemplateFields', {
  items: Type.Array(
    Type.Object({
      fieldId: Id,
      order: Type.Integer({ minimum: 0 }),
      group: Text('Hardware'),
      required: Type.Boolean(),
      field: FieldView,
    }),
  ),
})
export type TemplateFields = Static<typeof TemplateFields>
