/** Shapes of transfers in requests and answers. */

import { Id, Model, Multiline, Nullable, PageOf, PageQuery, type Static, Text, Time, Type } from '#http/schema.ts'

import { AssetView } from '../register/register.model.ts'

const NullableId = Type.Optional(Nullable(Id))
const NOTE_LENGTH = 500

export const TransferAsset = Model('TransferAsset', {
  custodianId: NullableId,
  toUserId: Type.Optional(Nullable({ ...Id, description: 'Another name of `custodianId`' })),
  locationId: NullableId,
  toOrgId: Type.Optional({ ...Id, description: 'Gives your own asset to this organization' }),
  note: Type.Optional(Nullable(Multiline(NOTE_LENGTH, 0, { examples: ['For the new office'] }))),
  orgId: NullableId,
})
export type TransferAsset = Static<typeof TransferAsset>

const name = (example: string) => Nullable(Text(example))

export const TransferView = Model('AssetTransfer', {
  id: Id,
  assetId: Id,
  fromUserId: Nullable(Id),
  fromUserName: name('Anna'),
  toUserId: Nullable(Id),
  toUserName: name('Bai'),
  fromLocationId: Nullable(Id),
  fromLocationName: name('Reading room'),
  toLocationId: Nullable(Id),
  toLocationName: name('Store'),
  fromOrgId: Nullable(Id),
  toOrgId: Nullable(Id),
  note: Text('For the new office'),
  operatorId: Id,
  operatorName: Text('Anna'),
  createdAt: Time,
})
export type TransferView = Static<typeof TransferView>

export const Transferred = Model('TransferredAsset', { asset: AssetView, transfer: TransferView })
export type Transferred = Static<typeof Transferred>

export const TransferPage = PageOf(TransferView)
export const TransfersQuery = PageQuery({ orgId: Type.Optional(Id) })
