/** The choice of the chips above the list of participants, and the filter of the interface that it stands for. */

import type { ParticipantFilter, RegistrationStatus } from '../../../api/types.ts'

export interface Chosen {
  readonly keyword: string
  readonly status: RegistrationStatus | null
  /** Each of them is a chip that is on, and at most one of two opposites. */
  readonly flags: readonly Flag[]
  readonly list: ListChoice | null
}

/** The id of a check-in list, and whether people were admitted there. */
export type ListChoice = `${number} ${'in' | 'out'}`

export const FLAGS = {
  hasPass: { pass: true },
  noPass: { pass: false },
  arrived: { checkedIn: true },
  notArrived: { checkedIn: false },
  guests: { guest: true },
} as const satisfies Readonly<Record<string, ParticipantFilter>>
export type Flag = keyof typeof FLAGS

export const EVERYBODY: Chosen = { keyword: '', status: null, flags: [], list: null }

/** The interface takes the same as a query and in a body, but for ids. */
export const filterOf = ({ keyword, status, flags, list }: Chosen): Omit<ParticipantFilter, 'ids'> => ({
  ...(keyword !== '' && { keyword }),
  ...(status !== null && { status }),
  ...(list !== null && { listId: Number.parseInt(list), admitted: list.endsWith('in') }),
  ...Object.assign({}, ...flags.map((flag) => FLAGS[flag])),
})

/** With this chip on or off. Its opposite is then off. */
export const toggled = (flags: readonly Flag[], flag: Flag): readonly Flag[] => {
  const others = flags.filter((one) => Object.keys(FLAGS[one])[0] !== Object.keys(FLAGS[flag])[0])
  return flags.includes(flag) ? others : [...others, flag]
}
