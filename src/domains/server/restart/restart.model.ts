import { Enum, Model, type Static, Time } from '#http/schema.ts'
import { SUPERVISORS } from '#platform/supervisor.ts'

export const Restarted = Model('ServerRestarted', {
  startedAt: { ...Time, description: 'The last start of the process. A later one shows that it has restarted' },
  supervisor: Enum(SUPERVISORS, { description: 'The program that starts the server again' }),
})
export type Restarted = Static<typeof Restarted>
