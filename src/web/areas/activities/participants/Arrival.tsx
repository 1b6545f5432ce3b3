/** The pass of a participant with its entries, and the check-in by hand. */

import { Add, ConfirmationNumber, HowToReg, Undo } from '@mui/icons-material'
import { Button, Stack, Typography } from '@mui/material'
import { type ReactNode, useState } from 'react'

import { useAction, useCall } from '../../../api/hooks.ts'
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
    issue: 'Issue a pass',
    issued: 'The pass is issued.',
    open: 'Open pass and entries',
    arrival: 'Check-in',
    checkIn: 'Check in by hand',
    undo: 'Undo',
    arrived: (time: string) => `Checked in ${time}`,
    notArrived: 'Not checked in',
    checkedIn: 'Checked in.',
    undone: 'The check-in is undone.',
  },
  zh: {
    pass: '通行证',
    noPass: '还没有通行证。',
    issue: '发放通行证',
    issued: '通行证已发放。',
    open: '查看通行证和入场记录',
    arrival: '签到',
    checkIn: '人工签到',
    undo: '撤销',
    arrived: (time: string) => `已于 ${time} 签到`,
    notArrived: '未签到',
    checkedIn: '已签到。',
    undone: '已撤销签到。',
  },
})

/** The live pass, or else the newest one. */
export function PassOf({ activity, person: { id, status, pass } }: PartProps) {
  const t = useTexts(words)
  const can = useRights(activity)
  const [isOpen, setOpen] = useState(false)
  const whole = useCall('passes.get', { params: { passId: pass?.id ?? 0 } }, { enabled: isOpen })
  const issue = useAction('passes.issue', { refreshes: ['registrations', 'passes', 'activities'], done: t.issued })
  const isLive = pass?.status === 'ISSUED' || pass?.status === 'USED'
  const isOpenForPasses = activity.status === 'ACTIVE' || activity.status === 'DRAFT'
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
      {!isLive && status === 'CONFIRMED' && isOpenForPasses && can('passes.issue') && (
        <Button
          startIcon={<Add />}
          sx={{ alignSelf: 'start' }}
          loading={issue.isPending}
          onClick={() =>
            issue.mutate({ params: { id: activity.id }, body: { toRegistered: true, registrationIds: [id] } })
          }
        >
          {t.issue}
        </Button>
      )}
      {isOpen && whole.error !== null && <ErrorNotice error={whole.error} />}
      {isOpen && whole.data !== undefined && (
        <PassDialog activity={activity} pass={whole.data} onClose={() => setOpen(false)} />
      )}
    </Part>
  )
}

/** For people who arrive without their phone. */
export function CheckInByHand({ activity, person }: PartProps) {
  const t = useTexts(words)
  const can = useRights(activity)
  const { id, status, checkedInAt } = person
  const settings = { refreshes: ['registrations', 'activities'] }
  const checkIn = useAction('registrations.checkIn', { ...settings, done: t.checkedIn })
  const undo = useAction('registrations.checkIn', { ...settings, done: t.undone })
  if (!activity.hasCheckIn) return null
  const mayChange = activity.status === 'ACTIVE' && can('registrations.checkIn')
  const isMissing = checkedInAt === null
  return (
    <Part title={t.arrival}>
      <Line>
        <Status
          tone={isMissing ? 'neutral' : 'good'}
          text={isMissing ? t.notArrived : t.arrived(timeIn(checkedInAt, activity.timeZone))}
        />
        {mayChange && isMissing && status === 'CONFIRMED' && (
          <Button
            startIcon={<HowToReg />}
            loading={checkIn.isPending}
            onClick={() => checkIn.mutate({ params: { registrationId: id }, body: {} })}
          >
            {t.checkIn}
          </Button>
        )}
        {mayChange && !isMissing && (
          <Button
            startIcon={<Undo />}
            loading={undo.isPending}
            onClick={() => undo.mutate({ params: { registrationId: id }, body: { undo: true } })}
          >
            {t.undo}
          </Button>
        )}
      </Line>
    </Part>
  )
}

const Line = ({ children }: { children: ReactNode }) => (
  <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
    {children}
  </Stack>
)
