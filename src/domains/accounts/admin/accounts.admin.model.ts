import type { TSchema } from '@sinclair/typebox'

import { PROVIDERS, USER_STATUSES } from '#db/schema/accounts.ts'
import { keywordFilter, timeFilters } from '#domains/admin/index.ts'
import {
  AnyCaseEnum,
  Documented,
  Enum,
  Id,
  Line,
  Model,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  Sort,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

import {
  EMAIL_MAX,
  INITIAL_PASSWORD_LENGTH,
  NewPassword,
  NICKNAME_MAX,
  PHONE_MAX,
  Username,
} from '../accounts.model.ts'
import { Content } from '../profile/profile.model.ts'
import { profileFields, userFields } from '../users/users.model.ts'

/** Memberships in the view of a user. `GET /api/admin/users/{userId}/memberships` lists all. */
export const MEMBERSHIPS_SHOWN = 20

const Status = Named('UserStatus', Enum(USER_STATUSES, { examples: ['ACTIVE'] }))
const Count = Type.Integer({ minimum: 0 })

const adminFields = {
  ...userFields,
  status: Status,
  isAdmin: Type.Boolean({ description: 'Holds any PLATFORM role' }),
  roles: Type.Array(Type.Object({ id: Id, code: Text('USER_ADMIN'), name: Text('User administrator') }), {
    description: 'The PLATFORM roles',
  }),
  roleName: Type.String({
    description: 'Name of the highest PLATFORM role, or else of the APP role',
    examples: ['User administrator'],
  }),
  identityTypes: Type.Array(Enum(PROVIDERS), { description: 'The providers of `identities`, each once' }),
  deviceCount: { ...Count, description: 'Devices that can sign in by themselves' },
  memberships: Type.Array(
    Type.Object({
      orgId: Id,
      orgName: Text('City Library'),
      roleId: Nullable(Id),
      roleName: Text('Member'),
      isOwner: Type.Boolean(),
      joinedAt: Time,
    }),
    { description: `The first ${MEMBERSHIPS_SHOWN}, in the order in which the user joined` },
  ),
  membershipCount: Count,
  lastLoginAt: Nullable({ ...Time, description: 'The latest sign-in; null before the first one' }),
  updatedAt: Time,
}

/** A user as administrators see them. Never contains the password hash, the token version or a device id. */
export const UserAdminView = Model('UserAdmin', adminFields)
export type UserAdminView = Static<typeof UserAdminView>
export const UserAdminPage = PageOf(UserAdminView)

export const CreatedUser = Model('CreatedUser', {
  ...adminFields,
  initialPassword: Type.Optional(
    Type.String({
      description: `Only if you sent no password: ${INITIAL_PASSWORD_LENGTH} random characters, which are shown this once`,
      examples: ['uX4mD0aVw8c-3fQpZ1Le'],
    }),
  ),
})
export type CreatedUser = Static<typeof CreatedUser>

export const UsersQuery = PageQuery({
  ...keywordFilter('username and nickname; finds also a whole e-mail address, phone number or id'),
  status: Type.Optional({ ...Status, description: 'Deleted users are listed only if you ask for them' }),
  role: Type.Optional(
    Enum(['ADMIN', 'USER'], {
      description: 'ADMIN: users with any PLATFORM role. USER: all others',
      examples: ['ADMIN'],
    }),
  ),
  identity: Type.Optional(
    AnyCaseEnum(['device_user', 'bound', 'unbound'], {
      description:
        'bound: users with a password, phone or e-mail. unbound: users without any of them. device_user: users without any of them ' +
        'and without a username',
      examples: ['bound'],
    }),
  ),
  orgId: Type.Optional({ ...Id, description: 'Members of this organization' }),
  ...timeFilters,
  sort: Sort(['createdAt', 'lastLoginAt', 'username']),
})
export type UsersQuery = Static<typeof UsersQuery>

export const ByUserId = Type.Object({ userId: Id })

const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

export const CreateUser = Model('CreateUser', {
  username: { ...Username, examples: ['anna.berg'] },
  password: Maybe(NewPassword),
  nickname: Maybe(Line(NICKNAME_MAX, 0, { description: 'Generated if it is absent', examples: ['Anna Berg'] })),
  email: Maybe(Documented(Line(EMAIL_MAX, 0, { examples: ['anna.berg@example.org'] }), { format: 'email' })),
  phone: Maybe(Line(PHONE_MAX, 0, { examples: ['13900139000'] })),
})
export type CreateUser = Static<typeof CreateUser>

export const ChangeUser = Model('ChangeUser', profileFields)
export type ChangeUser = Static<typeof ChangeUser>

export const ChangeUserRole = Model('ChangeUserRole', { role: Enum(['ADMIN', 'USER'], { examples: ['ADMIN'] }) })

export const ChangeUserStatus = Model('ChangeUserStatus', {
  status: Enum(['ACTIVE', 'DISABLED'], { examples: ['DISABLED'] }),
  reason: Maybe(Line(500, 0, { description: 'For the operation log', examples: ['Sends advertisements'] })),
})
export type ChangeUserStatus = Static<typeof ChangeUserStatus>

export const DeleteUser = Model('DeleteUser', {
  content: Type.Optional({ ...Content, default: 'KEEP' }),
  reason: Line(500, 1, { description: 'For the operation log', examples: ['Left the school'] }),
})
export type DeleteUser = Static<typeof DeleteUser>
