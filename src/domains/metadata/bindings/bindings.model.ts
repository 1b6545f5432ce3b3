import { Enum, Id, Model, Nullable, type Static, Text, Type } from '#http/schema.ts'

import { ObjectName, SCOPES } from '../metadata.model.ts'
import { SOURCES } from '../templates/templates.rules.ts'

/** Templates that can be bound to one entity: all of them are shown together. */
export const MAX_BINDINGS = 20

export const ByEntity = Type.Object({ objectName: ObjectName, entityId: Id })
export const ByOrgEntity = Type.Object({ orgId: Id, objectName: ObjectName, entityId: Id })
export const ByBinding = Type.Object({ objectName: ObjectName, entityId: Id, templateId: Id })
export const ByOrgBinding = Type.Object({ orgId: Id, objectName: ObjectName, entityId: Id, templateId: Id })

export const BindTemplates = Model(
  'BindMetaTemplates',
  { examples: [{ templateIds: [42] }] },
  {
    templateIds: Type.Optional(
      Nullable(
        Type.Array(Id, {
          maxItems: MAX_BINDINGS,
          description: 'The default template if there are none',
          examples: [[42]],
        }),
      ),
    ),
  },
)
export type BindTemplates = Static<typeof BindTemplates>

export const TemplatesInForce = Model('MetaTemplatesInForce', {
  items: Type.Array(
    Type.Object({
      templateId: Id,
      name: Text('Laptops'),
      scope: Enum(SCOPES),
      isDefault: Type.Boolean(),
      source: Enum(SOURCES, {
        description:
          'ENTITY: bound to the thing itself; CATEGORY: bound to its category; DEFAULT: the default template, because there is no other',
      }),
    }),
  ),
})
export type TemplatesInForce = Static<typeof TemplatesInForce>
