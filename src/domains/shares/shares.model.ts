import { Enum, Id, Model, Named, Nullable, PageOf, PageQuery, type Static, Text, Time, Type } from '#http/schema.ts'

export const EntityType = Named('ShareEntityType', Enum(['QR_CODE', 'ALBUM_PHOTO']))

export const InOrg = Type.Object({ orgId: Id })
export const ByShare = Type.Object({ orgId: Id, shareId: Id })

export const CreateShare = Model('CreateShare', { entityType: EntityType, sourceId: Id })
export type CreateShare = Static<typeof CreateShare>

export const SharesQuery = PageQuery({ entityType: Type.Optional(EntityType) })
export type SharesQuery = Static<typeof SharesQuery>

export const ShareView = Model('Share', {
  id: Id,
  orgId: Id,
  entityType: EntityType,
  sourceId: Type.Integer({
    minimum: 1,
    description: 'Id of the original, which may have been deleted since',
    examples: [42],
  }),
  copyId: Id,
  name: Type.String({ description: 'Current name of the copy', examples: ['Spring menu'] }),
  sharedBy: Type.Object({
    userId: Id,
    nickname: Text('Lin Mei'),
    avatarUrl: Nullable(Text('https://example.com/mei.png')),
  }),
  createdAt: Time,
})
export type ShareView = Static<typeof ShareView>
export const SharePage = PageOf(ShareView)
