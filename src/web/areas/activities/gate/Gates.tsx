/** The gates of an activity that need no account: who scans with which device, and the code to hand over. */

import { Add, Autorenew, Edit, LinkOff, QrCode2, QrCodeScanner } from '@mui/icons-material'
import { Box, Button, Stack, Typography } from '@mui/material'
import { useState } from 'react'

import { usePages } from '../../../api/pages.ts'
import type { Activity, Gate, GateDevice } from '../../../api/types.ts'
import { serverTime } from '../../../browser/server-time.ts'
import { dateTime, number, timeIn } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ActionDialog } from '../../../ui/ActionDialog.tsx'
import { Nothing, part } from '../../../ui/part.tsx'
import { Status } from '../../../ui/Status.tsx'
import { useRights } from '../rights.ts'
import { RowsCard } from '../RowsCard.tsx'

const GateDialog = part(() => import('./GateDialog.tsx'), Nothing)
const HandOver = part(() => import('./HandOver.tsx'), Nothing)

const words = texts({
  en: {
    gates: 'Gates',
    about: 'Helpers scan passes with their own phones, without an account. They see nothing else of this server.',
    create: 'New gate',
    handOver: 'Hand over',
    change: 'Change',
    renew: 'New link',
    end: 'End',
    of: (action: string, name: string) => `${action}: ${name}`,
    open: 'Open',
    ended: 'Ended',
    until: (time: string) => `until ${time}`,
    endedAt: (time: string) => `ended ${time}`,
    devices: (n: number, of: number) => `${n} of ${of} devices`,
    admitted: (n: string) => `${n} admitted`,
    noDevice: 'No device has opened it yet.',
    unnamed: 'Unnamed device',
    online: 'online',
    seen: (time: string) => `last seen ${time}`,
    counts: (admitted: string, refused: string) => `${admitted} admitted, ${refused} refused`,
    waiting: (n: number) => (n === 1 ? '1 scan waits for a connection' : `${n} scans wait for a connection`),
    searches: (n: number) => (n === 1 ? '1 search by name' : `${n} searches by name`),
    renewTitle: (name: string) => `Make a new link for “${name}”?`,
    renewText:
      'The old link ends at once, and so do the devices that have opened it. Their earlier scans are still taken for 48 hours.',
    renewed: 'The gate has a new link.',
    endTitle: (name: string) => `End the gate “${name}”?`,
    endText:
      'Its devices can scan no more passes from now on. Their earlier scans are still taken for 48 hours. This cannot be undone.',
    endDone: 'The gate is ended.',
    empty: 'No gates yet',
    emptyText: 'Make one for each entrance, and let helpers scan its code with their phones.',
  },
  zh: {
    gates: '检票口',
    about: '工作人员无需账号，用自己的手机即可检票，看不到服务器上的其他内容。',
    create: '新建检票口',
    handOver: '交给工作人员',
    change: '修改',
    renew: '更换链接',
    end: '停用',
    of: (action: string, name: string) => `${action}：${name}`,
    open: '开放',
    ended: '已结束',
    until: (time: string) => `至 ${time}`,
    endedAt: (time: string) => `已于 ${time} 结束`,
    devices: (n: number, of: number) => `设备 ${n} / ${of}`,
    admitted: (n: string) => `已放行 ${n}`,
    noDevice: '还没有设备打开此检票口。',
    unnamed: '未命名设备',
    online: '在线',
    seen: (time: string) => `最后在线 ${time}`,
    counts: (admitted: string, refused: string) => `放行 ${admitted}，拒绝 ${refused}`,
    waiting: (n: number) => `${n} 条记录等待联网上传`,
    searches: (n: number) => `按姓名查找 ${n} 次`,
    renewTitle: (name: string) => `更换“${name}”的链接？`,
    renewText: '旧链接和已打开它的设备立即失效；此前的检票记录 48 小时内仍可上传。',
    renewed: '已生成新链接。',
    endTitle: (name: string) => `停用检票口“${name}”？`,
    endText: '其设备将无法继续检票；此前的检票记录 48 小时内仍可上传。此操作无法撤销。',
    endDone: '检票口已停用。',
    empty: '还没有检票口',
    emptyText: '为每个入口新建一个，让工作人员用手机扫描二维码即可开始检票。',
  },
})

/** Milliseconds: a device that was seen since then is called online. Gates ask at least once a minute. */
const ONLINE = 2 * 60_000

type Dialog = 'change' | 'hand-over' | 'renew' | 'end'

export default function Gates({ activity }: { activity: Activity }) {
  const t = useTexts(words)
  const can = useRights(activity)
  const params = { id: activity.id }
  const query = usePages('activityGates.list', { params }, { every: 10_000 })
  const [dialog, setDialog] = useState<{ kind: Dialog; gate: Gate | undefined }>()
  const close = () => setDialog(undefined)
  const isOver = activity.status === 'ENDED' || activity.status === 'CANCELLED'
  const isManager = can('activityGates.create')
  const create = isManager && !isOver && (
    <Button
      variant="contained"
      startIcon={<Add />}
      onClick={() => setDialog({ kind: 'change', gate: undefined })}
      data-create
    >
      {t.create}
    </Button>
  )
  const { kind, gate } = dialog ?? {}
  const input = gate && { params: { ...params, gateId: gate.id } }
  return (
    <>
      <RowsCard
        query={query}
        icon={QrCodeScanner}
        words={{ ...t, label: t.gates }}
        create={create}
        keyOf={({ id }) => id}
      >
        {(one) => (
          <GateRow
            gate={one}
            zone={activity.timeZone}
            onOpen={isManager ? (next) => setDialog({ kind: next, gate: one }) : undefined}
          />
        )}
      </RowsCard>
      {kind === 'change' && (
        <GateDialog
          activity={activity}
          gate={gate}
          onClose={close}
          onCreated={(created) => setDialog({ kind: 'hand-over', gate: created })}
        />
      )}
      {kind === 'hand-over' && gate && <HandOver activity={activity} gate={gate} onClose={close} />}
      {kind === 'renew' && gate && input && (
        <ActionDialog
          operation="activityGates.renew"
          input={input}
          title={t.renewTitle(gate.name)}
          text={t.renewText}
          action={t.renew}
          done={t.renewed}
          onClose={close}
        />
      )}
      {kind === 'end' && gate && input && (
        <ActionDialog
          operation="activityGates.revoke"
          input={input}
          title={t.endTitle(gate.name)}
          text={t.endText}
          action={t.end}
          done={t.endDone}
          onClose={close}
        />
      )}
    </>
  )
}

interface GateRowProps {
  gate: Gate
  zone: string
  /** Undefined for those who may not change gates. */
  onOpen: ((dialog: Dialog) => void) | undefined
}

function GateRow({ gate, zone, onOpen }: GateRowProps) {
  const t = useTexts(words)
  const now = serverTime()
  const hasEnded = gate.endsAt <= now
  const end = timeIn(gate.endsAt, zone)
  return (
    <Stack spacing={1}>
      <Stack direction="row" spacing={1} useFlexGap sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
        <Typography component="span" sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>
          {gate.name}
        </Typography>
        <Status tone={hasEnded ? 'neutral' : 'good'} text={hasEnded ? t.ended : t.open} />
      </Stack>
      <Typography variant="body2" color="text.secondary">
        {[
          hasEnded ? t.endedAt(end) : t.until(end),
          t.devices(gate.devices.length, gate.maxDevices),
          t.admitted(number(gate.admitted)),
        ].join(' · ')}
      </Typography>
      {gate.devices.length === 0 ? (
        !hasEnded && <Typography variant="body2">{t.noDevice}</Typography>
      ) : (
        <Box component="ul" sx={{ m: 0, pl: 2.5 }}>
          {gate.devices.map((device) => (
            <DeviceLine key={device.id} device={device} now={now} hasEnded={hasEnded} />
          ))}
        </Box>
      )}
      {onOpen && !hasEnded && (
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
          {(
            [
              ['hand-over', t.handOver, <QrCode2 key="icon" />],
              ['change', t.change, <Edit key="icon" />],
              ['renew', t.renew, <Autorenew key="icon" />],
              ['end', t.end, <LinkOff key="icon" />],
            ] as const
          ).map(([dialog, text, icon]) => (
            <Button
              key={dialog}
              size="small"
              variant={dialog === 'hand-over' ? 'contained' : 'text'}
              color={dialog === 'end' ? 'error' : 'primary'}
              startIcon={icon}
              aria-label={t.of(text, gate.name)}
              onClick={() => onOpen(dialog)}
            >
              {text}
            </Button>
          ))}
        </Stack>
      )}
    </Stack>
  )
}

function DeviceLine({ device, now, hasEnded }: { device: GateDevice; now: number; hasEnded: boolean }) {
  const t = useTexts(words)
  const { name, lastSeenAt, admitted, refused, waiting, searches } = device
  const isOnline = !hasEnded && now - lastSeenAt < ONLINE
  return (
    <li>
      <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
        <b>{name ?? t.unnamed}</b>
        {' · '}
        {[
          isOnline ? t.online : t.seen(dateTime(lastSeenAt)),
          t.counts(number(admitted), number(refused)),
          searches > 0 && t.searches(searches),
        ]
          .filter(Boolean)
          .join(' · ')}
        {waiting > 0 && (
          <Box component="strong" sx={{ color: 'warning.main', ml: 1 }}>
            {t.waiting(waiting)}
          </Box>
        )}
      </Typography>
    </li>
  )
}
