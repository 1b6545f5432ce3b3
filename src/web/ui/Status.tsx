/** A state in words with a coloured dot. The colour repeats the word, so nothing depends on seeing it. */

import { Box, Stack } from '@mui/material'

import { type EnumName, useEnum } from '../i18n/enums.ts'

export type Tone = 'good' | 'bad' | 'warning' | 'running' | 'neutral'

/** The tones of the values of enums; `neutral` for those that are not here. */
const TONES: Partial<Record<EnumName, Readonly<Record<string, Tone>>>> = {
  activityMessageState: { SCHEDULED: 'warning', RUNNING: 'running', DONE: 'good' },
  activityStatus: { ACTIVE: 'good', DRAFT: 'warning', CANCELLED: 'bad' },
  assetStatus: { IN_USE: 'good', REPAIR: 'warning', LOST: 'bad' },
  deliveryState: { QUEUED: 'running', SENT: 'good', FAILED: 'bad', SKIPPED: 'warning' },
  linkStatus: { ACTIVE: 'good', PENDING: 'warning' },
  loginStatus: { success: 'good', failed: 'bad' },
  orgStatus: { ACTIVE: 'good', DISABLED: 'bad' },
  passStatus: { ISSUED: 'good', EXPIRED: 'warning', REVOKED: 'bad' },
  reservationStatus: { REQUESTED: 'warning', APPROVED: 'good', REJECTED: 'bad', OUT: 'running' },
  sendStatus: { DONE: 'good', RUNNING: 'running' },
  deliveryStatus: { PENDING: 'running', DELIVERED: 'good', FAILED: 'bad' },
  sessionStatus: { ACTIVE: 'good' },
  userStatus: { ACTIVE: 'good', DISABLED: 'bad' },
}

/** Whether the values of an enum are states, which have a colour. */
export const isState = (of: EnumName): boolean => of in TONES

export const toneOf = (of: EnumName, value: string): Tone => TONES[of]?.[value] ?? 'neutral'

const COLOR: Record<Tone, string> = {
  good: 'success.main',
  bad: 'error.main',
  warning: 'warning.main',
  running: 'info.main',
  neutral: 'text.disabled',
}

export function Status({ tone, text }: { tone: Tone; text: string }) {
  return (
    <Stack
      component="span"
      direction="row"
      spacing={0.75}
      // A Chinese word in a narrow cell would have one character a line.
      sx={{ alignItems: 'center', display: 'inline-flex', ...(text.length <= 16 && { whiteSpace: 'nowrap' }) }}
    >
      <Box component="span" sx={{ width: 9, height: 9, borderRadius: '50%', bgcolor: COLOR[tone], flexShrink: 0 }} />
      <span>{text}</span>
    </Stack>
  )
}

/** The value of an enum as a state. */
export function EnumStatus({ of, value }: { of: EnumName; value: string }) {
  const word = useEnum(of)
  return <Status tone={toneOf(of, value)} text={word(value)} />
}
