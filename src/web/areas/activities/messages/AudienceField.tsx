/** Whom a message goes to: chips with the number of people that each of them would give. */

import { Stack } from '@mui/material'

import type { Activity } from '../../../api/types.ts'
import { number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ChipField } from '../../../ui/ChipField.tsx'
import { type Audience, audienceWords, filterOf } from './audience.ts'
import { useCounts } from './use-recipients.ts'

const words = texts({
  en: { status: 'Registration', pass: 'Passes', checkedIn: 'Arrival' },
  zh: { status: '报名', pass: '通行证', checkedIn: '到场' },
})

const CHOICES = {
  status: ['ALL', 'CONFIRMED', 'WAITING'],
  pass: ['ANY', 'YES', 'NO'],
  checkedIn: ['ANY', 'YES', 'NO'],
} as const satisfies { readonly [Name in keyof Audience]: readonly Audience[Name][] }

export interface AudienceFieldProps {
  activity: Activity
  value: Audience
  onChange: (part: Partial<Audience>) => void
}

/** Filters find registered people only, so an activity without registration has nothing to choose. */
export function AudienceField({ activity, value, onChange }: AudienceFieldProps) {
  const { stats, registration, hasPass, hasCheckIn } = activity
  // Before the first arrival the two sides would be nobody and everybody.
  const hasArrivals = stats !== null && ((hasCheckIn && stats.checkedInUsers > 0) || (hasPass && stats.passUses > 0))
  if (registration === null) return null
  const shown = (['status', 'pass', 'checkedIn'] as const).filter(
    (name) => ({ status: true, pass: hasPass, checkedIn: hasArrivals })[name],
  )
  return (
    <Stack spacing={1}>
      {shown.map((name) => (
        <Chips key={name} activityId={activity.id} name={name} value={value} onChange={onChange} />
      ))}
    </Stack>
  )
}

interface ChipsProps extends Omit<AudienceFieldProps, 'activity'> {
  activityId: number
  name: keyof Audience
}

function Chips({ activityId, name, value, onChange }: ChipsProps) {
  const t = useTexts(words)
  const chips: Readonly<Record<string, string>> = useTexts(audienceWords)[name]
  const choices = CHOICES[name]
  const counts = useCounts(
    activityId,
    choices.map((choice) => filterOf({ ...value, [name]: choice })),
  )
  return (
    <ChipField<string>
      label={t[name]}
      value={value[name]}
      onChange={(choice) => onChange({ [name]: choice })}
      choices={choices.map((choice, i) => {
        const count = counts[i]
        return [choice, count === undefined ? chips[choice]! : `${chips[choice]!} ${number(count)}`]
      })}
    />
  )
}
