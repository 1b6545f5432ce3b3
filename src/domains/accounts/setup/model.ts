import { Model, Raw, type Static, Type } from '#http/schema.ts'

const Token = Raw(100, 1, { description: 'From the link', examples: ['Zk3q0sJ9xW7vT2bN5yLrAeHc8uGdPmKf4iOa1nQwXEo'] })

export const SetupQuery = Type.Object({ token: Token })

/** What is wrong with the fields is shown beside them, so here they only have to be texts. */
export const SetupForm = Model('SetupForm', {
  token: Token,
  username: Raw(500, 0, { examples: ['admin'] }),
  password: Raw(500, 0, { examples: ['correct horse battery'] }),
  repeated: Type.Optional(Raw(500, 0, { description: 'The password again', examples: ['correct horse battery'] })),
})
export type SetupForm = Static<typeof SetupForm>
