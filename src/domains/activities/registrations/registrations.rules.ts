/** The period in which users can register for an activity, and the check of their answers. */

import type {
  ActivityStatus,
  RegistrationConfig,
  RegistrationQuestion,
  RegistrationStatus,
} from '#db/schema/activities.ts'
import type { FieldProblem } from '#http/errors.ts'
import { textProblem, tooLong } from '#http/normalize.ts'

import { problem } from '../activities.errors.ts'

/** UTF-16 units of an answer. */
export const MAX_ANSWER = 1000

interface Times {
  readonly startTime: number
  readonly endTime: number
}

export type Phase = 'early' | 'open' | 'late'

/** `opensAt` null: once the activity is active. `closesAt` null: when it starts. Nobody registers for an activity that is over. */
export function phaseOf({ opensAt, closesAt }: RegistrationConfig, { startTime, endTime }: Times, now: number): Phase {
  if (opensAt !== null && now < opensAt) return 'early'
  return now < Math.min(closesAt ?? startTime, endTime) ? 'open' : 'late'
}

/** Whether users on the waiting list get places that are free. */
export const givesPlaces = (
  activity: Times & { readonly status: ActivityStatus; readonly registration: RegistrationConfig | null },
  now: number,
): boolean =>
  activity.status === 'ACTIVE' &&
  activity.registration !== null &&
  activity.registration.approval !== true &&
  now < activity.endTime

const BY_HAND: Readonly<Record<RegistrationStatus, readonly RegistrationStatus[]>> = {
  PENDING: ['CONFIRMED', 'WAITING'],
  WAITING: ['CONFIRMED', 'REJECTED', 'CANCELLED'],
  CONFIRMED: ['WAITING', 'REJECTED', 'CANCELLED'],
  CANCELLED: ['CONFIRMED', 'WAITING'],
  REJECTED: ['CONFIRMED', 'WAITING'],
}
/** Whether a manager can change the status of a registration in this way. */
export const canSetStatus = (from: RegistrationStatus, to: RegistrationStatus): boolean => BY_HAND[from].includes(to)

export type Answers = Readonly<Record<string, string>>

/**
 * The answers to keep, trimmed and without empty ones, or the problems that they have. `lenient`: none is required, for managers. `kept`: earlier
 * answers, of which those to questions that are no longer asked stay.
 */
export function checkAnswers(
  questions: readonly RegistrationQuestion[],
  given: Readonly<Record<string, unknown>>,
  { lenient = false, kept = {} }: { readonly lenient?: boolean; readonly kept?: Answers } = {},
): { readonly answers: Answers } | { readonly problems: readonly FieldProblem[] } {
  const problems: FieldProblem[] = []
  const answers: [string, string][] = []
  const keys = new Set(questions.map(({ key }) => key))
  for (const [key, answer] of Object.entries(given))
    if (!keys.has(key) && (!Object.hasOwn(kept, key) || kept[key] !== answer))
      problems.push(unknownQuestion(pathOf(key)))
  for (const [key, answer] of Object.entries(kept)) if (!keys.has(key)) answers.push([key, answer])
  for (const { key, required } of questions) {
    const answer = Object.hasOwn(given, key) ? given[key] : ''
    const path = pathOf(key)
    if (typeof answer !== 'string') {
      problems.push(notText(path))
      continue
    }
    const text = answer.trim()
    const wrong = text.length > MAX_ANSWER ? tooLong(MAX_ANSWER) : textProblem(text, 'multiline')
    if (wrong !== undefined) problems.push({ path, text: wrong })
    else if (text !== '') answers.push([key, text])
    else if (required && !lenient) problems.push(missing(path))
  }
  return problems.length > 0 ? { problems } : { answers: Object.fromEntries(answers) }
}

const pathOf = (key: string): string => `body.answers.${key}`
const unknownQuestion = problem('is not a question of this activity', '不是该活动的问题')
const notText = problem('must be a string', '必须是字符串')
const missing = problem('is required', '不能为空')
