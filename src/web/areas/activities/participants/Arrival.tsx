/** The pass of a participant with its entries, and the check-in. */

import { ConfirmationNumber } from '@mui/icons-material'
import { Button, Stack, Typography } from '@mui/material'
import { type ReactNode, useState } from 'react'

import { useCall } from '../../../api/hooks.ts'
import { timeIn } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ErrorNotice } from '../../../ui/Answer.tsx'
import { Nothing, part } from '../../../ui/part.tsx'
import { EnumStatus, Status } from '../../../ui/Status.tsx'
import { useRights } from '../rights.ts'
import { Part, type PartProps } from './detail.tsx'

const PassDialog = part(async () => ({ default: (await import('../PassDialog.tsx')).PassDialog }), Nothing)

const words = texts({
  en: {
    pass: 'Pass',
    noPass: 'No pass yet.',
    open: 'Open pass and entries',
    arrival: 'Check-in',
    arrived: (time: string) => `Checked in ${time}`,
    notArrived: 'Not checked in',
  },
  zh: {
    pass: '通行证',
    noPass: '还没有通行证。',
    open: '查看通行证和入场记录',
    arrival: '签到',
    arrived: (time: string) => `已于 ${time} 签到`,
    notArrived: '未签到',
  },
})

/** The live pass, or else the newest one. */
export function PassOf({ activity, person: { pass } }: PartProps) {
  const t = useTexts(words)
  const can = useRights(activity)
  const [isOpen, setOpen] = useState(false)
  const whole = useCall('passes.get', { params: { passId: pass?.id ?? 0 } }, { enabled: isOpen })
  return (
    <Part title={t.pass}>
      {pass === null ? (
        <Typography color="text.secondary">{t.noPass}</Typography>
      ) : (
        <Line>
          <EnumStatus of="passStatus" value={pass.status} />
          {can('passes.get') && (
            <Button startIcon={<ConfirmationNumber />} onClick={() => setOpen(true)}>
              {t.open}
            </Button>
          )}
        </Line>
      )}
      {isOpen && whole.error !== null && <ErrorNotice error={whole.error} />}
      {isOpen && whole.data !== undefined && (
        <PassDialog activity={activity} pass={whole.data} onClose={() => setOpen(false)} />
      )}
    </Part>
  )
}

export function Arrival({ activity, person: { checkedInAt } }: PartProps) {
  const t = useTexts(words)
  if (!activity.hasCheckIn) return null
  const isMissing = checkedInAt === null
  return (
    <Part title={t.arrival}>
      <Line>
        <Status
          tone={isMissing ? 'neutral' : 'good'}
          text={isMissing ? t.notArrived : t.arrived(timeIn(checkedInAt, activity.timeZone))}
        />
      </Line>
    </Part>
  )
}

const Line = ({ children }: { children: ReactNode }) => (
  <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
    {children}
  </Stack>
)
