import { Enum, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

/** In the order in which the wizard asks. */
export const STEPS = [
  'language',
  'name',
  'reach',
  'certificate',
  'mail',
  'registration',
  'backup',
  'organization',
  'invite',
] as const
export type Step = (typeof STEPS)[number]

const Key = Enum(STEPS, {
  examples: ['language'],
  // `name` is a property of every enum in Kotlin.
  'x-enum-varnames': STEPS.map((step) => `${step.toUpperCase()}_STEP`),
})
const STATUSES = ['OPEN', 'DONE', 'SKIPPED'] as const
const Status = Enum(STATUSES)

const StepView = Model('SetupStep', {
  key: Key,
  status: Status,
  since: Nullable({ ...Time, description: 'Null: nobody has marked the step' }),
  lockedBy: Nullable(
    Text('TESSERA_SMTP_URL', { description: 'The start value that decides the step, which is DONE therefore' }),
  ),
})
export type StepView = Static<typeof StepView>

export const SetupView = Model('Setup', {
  done: Type.Boolean({ description: 'No step is open, or the server is older than the setup' }),
  steps: Type.Array(StepView, { description: '`certificate` is listed only if the server needs one of its own' }),
})
export type SetupView = Static<typeof SetupView>

export const SetupChange = Model(
  'SetupChange',
  { description: 'Only marks are stored. Steps that you leave out stay as they are' },
  {
    steps: Type.Array(Type.Object({ key: Key, status: Status }), {
      minItems: 1,
      maxItems: STEPS.length,
      examples: [[{ key: 'mail', status: 'SKIPPED' }]],
    }),
  },
)
export type SetupChange = Static<typeof SetupChange>

export const SetupSummary = Model('SetupSummary', {
  done: SetupView.properties.done,
  open: Type.Integer({ minimum: 0, description: 'Steps that are left; 0 if the setup is done', examples: [3] }),
})
