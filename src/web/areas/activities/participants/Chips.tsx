/** The chips above the list of participants, each with the number of people that it would show. */

import { Chip, Stack } from '@mui/material'
import { keepPreviousData, useQuery } from '@tanstack/react-query'

import { callWith } from '../../../api/client.ts'
import { useAll } from '../../../api/pages.ts'
import type { Activity, RegistrationStatus } from '../../../api/types.ts'
import { number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ChipField } from '../../../ui/ChipField.tsx'
import { ChoiceField } from '../../../ui/fields.tsx'
import { useRights } from '../rights.ts'
import { type Chosen, filterOf, type Flag, FLAGS, type ListChoice, toggled } from './filters.ts'
import { participantWords } from './words.ts'

const words = texts({
  en: {
    status: 'Status',
    all: 'All',
    others: 'More filters',
    list: 'Check-in list',
    anyList: 'Admitted or not',
    admitted: (name: string) => `${name}: admitted`,
    notAdmitted: (name: string) => `${name}: not admitted`,
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
    list: '签到名单',
    anyList: '不论是否入场',
    admitted: (name: string) => `${name}：已入场`,
    notAdmitted: (name: string) => `${name}：未入场`,
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

const FLAG_NAMES = Object.keys(FLAGS) as Flag[]
const STATUSES = ['CONFIRMED', 'WAITING', 'PENDING', 'REJECTED', 'CANCELLED'] as const

/**
 * The number of people for each of these filters, none before the first count. One after the other: the server refuses searches of a user
 * while several of them wait, and the list itself is one.
 */
const useCounts = (id: number, filters: readonly ReturnType<typeof filterOf>[]): readonly number[] =>
  useQuery({
    queryKey: ['registrations', 'count', id, filters],
    queryFn: async ({ signal }) => {
      const counts: number[] = []
      for (const filter of filters) {
        const input = { params: { id }, query: { ...filter, page: 1, size: 1 } }
        counts.push(((await callWith('registrations.list', input, { signal })) as { total: number }).total)
      }
      return counts
    },
    placeholderData: keepPreviousData,
  }).data ?? []

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
  const others = { ...value, keyword: '' }
  const shown = FLAG_NAMES.filter((flag) => activity.hasPass || !('pass' in FLAGS[flag]))
  const counts = useCounts(activity.id, [
    ...STATUSES.map((one) => filterOf({ ...others, status: one })),
    ...shown.map((flag) => filterOf({ ...others, flags: flags.includes(flag) ? flags : toggled(flags, flag) })),
  ])
  const countOf = (chip: RegistrationStatus | Flag) => counts[[...STATUSES, ...shown].indexOf(chip)]
  const withNumber = (word: string, chip: RegistrationStatus | Flag) => {
    const count = countOf(chip)
    return count === undefined ? word : `${word} ${number(count)}`
  }
  const statuses = STATUSES.filter((one) => one === 'CONFIRMED' || one === status || (countOf(one) ?? 0) > 0)
  const isOffered = (flag: Flag) => {
    const opposite = OPPOSITES[flag]
    if (flags.includes(flag)) return true
    // "Without a pass" says nothing as long as nobody has one.
    return (countOf(flag) ?? 0) > 0 && (opposite === undefined || (countOf(opposite) ?? 0) > 0)
  }
  return (
    <Stack spacing={1}>
      <ChipField<RegistrationStatus | 'ALL'>
        label={t.status}
        value={status ?? 'ALL'}
        onChange={(next) => onChange({ status: next === 'ALL' ? null : next })}
        choices={[['ALL', t.all], ...statuses.map((one) => [one, withNumber(shared.statuses[one], one)] as const)]}
      />
      <Stack
        component="fieldset"
        direction="row"
        spacing={1}
        useFlexGap
        sx={{ flexWrap: 'wrap', border: 0, m: 0, p: 0 }}
        aria-label={t.others}
      >
        {shown.filter(isOffered).map((flag) => {
          const isOn = flags.includes(flag)
          return (
            <Chip
              key={flag}
              component="button"
              aria-pressed={isOn}
              label={withNumber(t.flags[flag], flag)}
              onClick={() => onChange({ flags: toggled(flags, flag) })}
              color={isOn ? 'primary' : 'default'}
              variant={isOn ? 'filled' : 'outlined'}
              sx={{ height: 44, borderRadius: 22, px: 0.5 }}
            />
          )
        })}
      </Stack>
      {activity.hasPass && <ListField activity={activity} value={value.list} onChange={(list) => onChange({ list })} />}
    </Stack>
  )
}

interface ListFieldProps {
  activity: Activity
  value: ListChoice | null
  onChange: (list: ListChoice | null) => void
}

/** Nothing for an activity without check-in lists. */
function ListField({ activity, value, onChange }: ListFieldProps) {
  const t = useTexts(words)
  const can = useRights(activity)
  const lists = useAll('checkInLists.list', { params: { id: activity.id } }, { enabled: can('checkInLists.list') })
  if (lists.data === undefined || lists.data.length === 0) return null
  return (
    <ChoiceField
      label={t.list}
      value={value}
      onChange={onChange}
      none={t.anyList}
      choices={lists.data.flatMap(({ id, name }) => [
        { id: `${id} in`, name: t.admitted(name) },
        { id: `${id} out`, name: t.notAdmitted(name) },
      ])}
      sx={{ maxWidth: 360 }}
    />
  )
}
