/** An activity as its visitors see it: facts, registering, checking in, and codes to show. */

import { Alert, Box, Stack } from '@mui/material'

import { texts, useTexts } from '../../i18n/words.ts'
import { CheckInSelf } from './CheckInSelf.tsx'
import { ActivityCodes } from './Codes.tsx'
import { Facts } from './Facts.tsx'
import { type OwnProps, RegisterSelf } from './RegisterSelf.tsx'

const words = texts({
  en: { cancelled: 'This activity is cancelled.' },
  zh: { cancelled: '此活动已取消。' },
})

export interface OverviewProps extends OwnProps {
  /** The end of the link that the user has scanned (`scannedIn`). */
  scanned: string | undefined
}

export function Overview({ activity, code, scanned }: OverviewProps) {
  const checkIn = activity.hasCheckIn && activity.status === 'ACTIVE' && (
    <CheckInSelf activity={activity} code={code} scanned={scanned} />
  )
  return (
    <Stack spacing={2}>
      <Cancelled activity={activity} />
      {scanned !== undefined && checkIn}
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { md: '3fr 2fr' }, alignItems: 'start' }}>
        <Facts activity={activity} code={code} />
        <Stack spacing={2}>
          {activity.registration !== null && <RegisterSelf activity={activity} code={code} />}
          {scanned === undefined && checkIn}
          <ActivityCodes activity={activity} code={code} />
        </Stack>
      </Box>
    </Stack>
  )
}

export function Cancelled({ activity }: Pick<OwnProps, 'activity'>) {
  const t = useTexts(words)
  return activity.status === 'CANCELLED' && <Alert severity="warning">{t.cancelled}</Alert>
}
