/** The chips above the list of participants, each with the number of people that it would show. */

import { Chip, Stack } from '@mui/material'
import { useQueries } from '@tanstack/react-query'

import { callWith } from '../../../api/client.ts'
import type { Activity, RegistrationStatus } from '../../../api/types.ts'
import { number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ChipField } from '../../../ui/ChipField.tsx'
import { type Chosen, filterOf, type Flag, FLAGS, toggled } from './filters.ts'
import { participantWords } from './words.ts'

const words = texts({
  en: {
    status: 'Status',
    all: 'All',
    others: 'More filters',
    flags: {
      hasPass: 'With a pass',
      noPass: 'Without a pass',
      arrived: 'Checked in',
      notArrived: 'Not checked in',
      guests: 'Guests',
    },
  },
  zh: {
    status: '状态',
    all: '全部',
    others: '更多筛选',
    flags: {
      hasPass: '有通行证',
      noPass: '没有通行证',
      arrived: '已签到',
      notArrived: '未签到',
      guests: '来宾',
    },
  },
})

const OPPOSITES: Partial<Record<Flag, Flag>> = { noPass: 'hasPass', notArrived: 'arrived' }

const STATUSES = ['CONFIRMED', 'WAITING', 'PENDING', 'REJECTED', 'CANCELLED'] as const

/** The number of people for each of these filters; undefined while it is counted. */
const useCounts = (id: number, filters: readonly ReturnType<typeof filterOf>[]): readonly (number | undefined)[] =>
  useQueries({
    queries: filters.map((filter) => ({
      queryKey: ['registrations', 'count', id, filter],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await callWith(
          'registrations.list',
          { params: { id }, query: { ...filter, page: 1, size: 1 } },
          { signal },
        )) as { total: number },
    })),
  }).map(({ data }) => data?.total)

export interface ChipsProps {
  activity: Activity
  value: Chosen
  onChange: (part: Partial<Chosen>) => void
}

/** Chips of nobody are left out. The search has no part in the numbers: it finds single people. */
export function Chips({ activity, value, onChange }: ChipsProps) {
  const t = useTexts(words)
  const shared = useTexts(participantWords)
  const { status, flags } = value
  const withNumber = (word: string, count: number | undefined) =>
    count === undefined ? word : `${word} ${number(count)}`
  const shown = (Object.keys(FLAGS) as Flag[]).filter((flag) => activity.hasPass || !('pass' in FLAGS[flag]))
  const others = { ...value, keyword: '' }
  const ofStatus = useCounts(
    activity.id,
    STATUSES.map((one) => filterOf({ ...others, status: one })),
  )
  const ofFlag = useCounts(
    activity.id,
    shown.map((flag) => filterOf({ ...others, flags: flags.includes(flag) ? flags : toggled(flags, flag) })),
  )
  const statuses = STATUSES.map((one, i) => [one, withNumber(shared.statuses[one], ofStatus[i])] as const).filter(
    ([one], i) => one === 'CONFIRMED' || one === status || ofStatus[i] !== 0,
  )
  return (
    <Stack spacing={1}>
      <ChipField<RegistrationStatus | 'ALL'>
        label={t.status}
        value={status ?? 'ALL'}
        onChange={(next) => onChange({ status: next === 'ALL' ? null : next })}
        choices={[['ALL', t.all], ...statuses]}
      />
      <Stack
        component="fieldset"
        direction="row"
        spacing={1}
        useFlexGap
        sx={{ flexWrap: 'wrap', border: 0, m: 0, p: 0 }}
        aria-label={t.others}
      >
        {shown.map((flag, i) => {
          const isOn = flags.includes(flag)
          // "Without a pass" says nothing as long as nobody has one.
          const countOf = (one: Flag | undefined) => (one === undefined ? undefined : ofFlag[shown.indexOf(one)])
          if (!isOn && (ofFlag[i] === 0 || countOf(OPPOSITES[flag]) === 0)) return null
          return (
            <Chip
              key={flag}
              component="button"
              aria-pressed={isOn}
              label={withNumber(t.flags[flag], ofFlag[i])}
              onClick={() => onChange({ flags: toggled(flags, flag) })}
              color={isOn ? 'primary' : 'default'}
              variant={isOn ? 'filled' : 'outlined'}
              sx={{ height: 44, borderRadius: 22, px: 0.5 }}
            />
          )
        })}
      </Stack>
    </Stack>
  )
}
