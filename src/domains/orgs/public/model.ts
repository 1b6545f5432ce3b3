import { Id, Line, Type } from '#http/schema.ts'

/** Any text: what is not the code of a public organization is simply not found. */
export const ByCode = Type.Object({ code: Line(64, 0, { examples: ['K7WPQ2MX'] }) })
export const ByOrgId = Type.Object({ orgId: Id })
