import { Id, Line, Model, Nullable, PageOf, PageQuery, Sort, type Static, Text, Time, Type } from '#http/schema.ts'

import { OwnerType, Region } from '../register/register.model.ts'

/** An activity for people who need not be signed in: it is PUBLIC, or they have its invite code. */
export const PublicActivity = Model('PublicActivity', {
  id: Id,
  uuid: Text('7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'),
  name: Text('Spring fair'),
  description: Text('Plants, tools and cake', { description: 'As it was written. Empty if there is none' }),
  region: Nullable(Region),
  location: Nullable(Text('Hall B, 1 Lake Road')),
  startTime: Time,
  endTime: Time,
  timeZone: Text('Asia/Shanghai', { description: 'The zone in which the times are named' }),
  coverUrl: Nullable(Text('http://localhost:8080/public/images/k3m9x2pq7w')),
  ownerType: OwnerType,
  ownerName: Nullable(
    Text('Garden club', {
      description: 'Name of the organization or nickname of the user; null for an INTERNAL organization',
    }),
  ),
  hasCheckIn: Type.Boolean(),
  hasPass: Type.Boolean(),
})
export type PublicActivity = Static<typeof PublicActivity>
export const PublicActivityPage = PageOf(PublicActivity)

const Place = (example: string) => Type.Optional(Line(100, 0, { examples: [example] }))

export const DiscoverQuery = PageQuery({
  keyword: Type.Optional(
    Line(100, 0, { description: 'Part of the name, the description or the location', examples: ['fair'] }),
  ),
  province: Place('浙江省'),
  city: Place('杭州市'),
  district: Place('西湖区'),
  from: Type.Optional({ ...Time, description: 'Activities that have not ended by then' }),
  to: Type.Optional({ ...Time, description: 'Activities that have started by then' }),
  sort: Sort(['startTime', 'createdAt']),
})
export type DiscoverQuery = Static<typeof DiscoverQuery>
