/** Input of operations on one activity, which may be INVITE_ONLY. */

import { InOrg, Line, Type } from '#http/schema.ts'

/** As the user typed it. */
export const InviteCode = Line(200, 0, {
  description: 'The invite code of an INVITE_ONLY activity',
  examples: ['KQ7MPX2WRT'],
})

/** Parameters of a read that shows other users than managers something. */
export const SEEN = { ...InOrg.properties, code: Type.Optional(InviteCode) }
export const SeenQuery = Type.Object(SEEN)
