/** Shapes that pulls, pushes and conflicts have in common. */

import { SYNC_ENTITIES } from '#db/schema/sync.ts'
import { Enum, Text, Type } from '#http/schema.ts'

export const Entity = Enum(SYNC_ENTITIES, { description: 'A kind of rows that devices keep' })

/** Numbers grow by one with each change that others can see. */
export const Version = Type.Integer({ minimum: 0, examples: [3] })

export const LocalId = Text('c1f0-17', { description: 'The id that this device gave to the row when it pushed it' })
