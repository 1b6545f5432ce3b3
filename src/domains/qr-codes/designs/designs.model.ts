import {
  Id,
  Line,
  Model,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  RowVersion,
  type Static,
  Time,
  Type,
} from '#http/schema.ts'

import { lookFields, lookInput } from '../looks/looks.model.ts'

/** Of a user or an organization. */
export const MAX_DESIGNS = 50

const Name = Line(100, 1, { examples: ['Blue dots'] })
const IsDefault = Type.Boolean({
  description:
    'One of the owner at most. New codes of an organization have it if they name no design and can be read with it',
})

const writable = { name: Name, ...lookInput, isDefault: Type.Optional(IsDefault) }

export const CreateDesign = Model('CreateQrCodeDesign', { ...writable, orgId: Type.Optional(Nullable(Id)) })
export type CreateDesign = Static<typeof CreateDesign>

export const UpdateDesign = Named('UpdateQrCodeDesign', Type.Partial(Type.Object({ ...writable, orgId: Nullable(Id) })))
export type UpdateDesign = Static<typeof UpdateDesign>

export const DesignsQuery = PageQuery({ orgId: Type.Optional(Id) })
export const DeleteQuery = Type.Object({
  orgId: Type.Optional(Id),
  force: Type.Optional(Type.Boolean({ description: 'Codes that have the design become plain' })),
})

export const DesignView = Model('QrCodeDesign', {
  id: Id,
  orgId: Nullable(Id),
  name: Name,
  ...lookFields,
  isDefault: IsDefault,
  codeCount: Type.Integer({ minimum: 0, description: 'Codes that have it, without those in the trash' }),
  version: RowVersion,
  createdAt: Time,
  updatedAt: Time,
})
export type DesignView = Static<typeof DesignView>
export const DesignPage = PageOf(DesignView)
