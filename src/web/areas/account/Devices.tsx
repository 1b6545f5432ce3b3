/** The devices that are signed in, and those that get pushes. */

import { Computer, NotificationsActiveOutlined, PhoneAndroid } from '@mui/icons-material'
import { Button, Card, Chip, List, ListItem, ListItemIcon, ListItemText, Stack } from '@mui/material'
import { useState } from 'react'

import { useAction, useCall } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { Device } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { date, relativeTime, withNote } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { Section } from '../../ui/parts.tsx'
import { AccountPage } from './AccountPage.tsx'

const words = texts({
  en: {
    unnamed: 'Unknown device',
    current: 'This device',
    active: (when: string) => `Active ${when}`,
    signOut: 'Sign out',
    signOutOf: (name: string) => `Sign out ${name}`,
    signOutText: 'Its sessions end at once. It has to sign in again.',
    trusted: (day: string) => `Needs no second factor until ${day}`,
    distrust: 'Stop trusting',
    distrustOf: (name: string) => `Stop trusting ${name}`,
    distrustText: 'Its next sign-in needs the second factor again.',
    distrustAll: 'Stop trusting all devices',
    distrustAllText:
      'This includes devices that are signed out. The next sign-in on each of them needs the second factor.',
    distrusted: 'Trust ended.',
    others: 'Sign out all other devices',
    othersText: (n: number) =>
      n === 1 ? 'One other device is signed out at once.' : `${n} other devices are signed out at once.`,
    done: 'Signed out.',
    none: 'No devices',
    push: 'Push notifications',
    pushText: 'These devices get messages and notifications while the app is closed.',
    since: (when: string) => `Since ${when}`,
    here: 'This session',
    quiet: (from: string, to: string) => `quiet from ${from} to ${to}`,
    stop: 'Stop',
    stopped: 'This device gets no more push notifications.',
  },
  zh: {
    unnamed: '未知设备',
    current: '本机',
    active: (when: string) => `${when}活跃`,
    signOut: '退出登录',
    signOutOf: (name: string) => `退出登录：${name}`,
    signOutText: '该设备的会话将立即结束，需要重新登录。',
    trusted: (day: string) => `${day}前免第二重验证`,
    distrust: '取消信任',
    distrustOf: (name: string) => `取消信任：${name}`,
    distrustText: '该设备下次登录须重新进行第二重验证。',
    distrustAll: '取消信任所有设备',
    distrustAllText: '包括已退出登录的设备。这些设备下次登录均须进行第二重验证。',
    distrusted: '已取消信任。',
    others: '退出所有其他设备',
    othersText: (n: number) => `其他 ${n} 台设备将立即退出登录。`,
    done: '已退出。',
    none: '没有设备',
    push: '推送',
    pushText: '应用关闭时，这些设备仍会收到消息和通知。',
    since: (when: string) => `开始于 ${when}`,
    here: '当前会话',
    quiet: (from: string, to: string) => `${from} 至 ${to} 免打扰`,
    stop: '停止',
    stopped: '此设备不再收到推送。',
  },
})

export default function Devices() {
  const t = useTexts(words)
  const may = useMay()
  const list = usePages('devices.list')
  const [ending, setEnding] = useState<readonly Device[]>([])
  const refreshes = ['devices', 'sessions']
  const revoke = useAction('devices.revoke', { refreshes })
  const others = list.items?.filter(({ isCurrent }) => !isCurrent) ?? []
  const nameOf = ({ deviceName }: Device) => deviceName || t.unnamed
  const end = async () => {
    try {
      let advice: string | null = null
      for (const { deviceId } of ending) {
        const { hint } = await revoke.mutateAsync({ params: { deviceId } })
        advice ??= hint
      }
      notify(advice ?? t.done, advice === null ? 'success' : 'warning')
      setEnding([])
    } catch {
      // `revoke` has shown the reason.
    }
  }
  return (
    <AccountPage tab="devices">
      {list.error !== null && <ErrorNotice error={list.error} onRetry={list.retry} />}
      {list.items === undefined && list.error === null && <Loading />}
      {list.items?.length === 0 && <EmptyState icon={Computer} title={t.none} />}
      {list.items !== undefined && list.items.length > 0 && (
        <Card>
          <List disablePadding>
            {list.items.map((device) => (
              <ListItem key={device.deviceId} divider sx={{ gap: 1, flexWrap: { xs: 'wrap', sm: 'nowrap' } }}>
                <ListItemIcon sx={{ minWidth: 40 }}>
                  {/iPhone|Android|Phone|iPad/i.test(device.deviceName) ? <PhoneAndroid /> : <Computer />}
                </ListItemIcon>
                <ListItemText
                  primary={
                    <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
                      <span>{nameOf(device)}</span>
                      {device.isCurrent && <Chip size="small" color="primary" label={t.current} />}
                    </Stack>
                  }
                  secondary={[
                    t.active(relativeTime(device.lastActiveTime)),
                    device.ipAddress,
                    device.city,
                    device.trustedUntil !== null && t.trusted(date(device.trustedUntil)),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                  slotProps={{ primary: { component: 'div' }, secondary: { sx: { overflowWrap: 'anywhere' } } }}
                />
                {device.trustedUntil !== null && (
                  <ActionButton
                    operation="devices.endTrust"
                    input={{ params: { deviceId: device.deviceId } }}
                    label={t.distrust}
                    name={t.distrustOf(nameOf(device))}
                    title={t.distrustOf(nameOf(device))}
                    text={t.distrustText}
                    done={t.distrusted}
                    color="primary"
                  />
                )}
                {!device.isCurrent && (
                  <Button aria-label={t.signOutOf(nameOf(device))} onClick={() => setEnding([device])}>
                    {t.signOut}
                  </Button>
                )}
              </ListItem>
            ))}
          </List>
        </Card>
      )}
      <MoreButton shown={list.items?.length ?? 0} total={list.total} onMore={list.more} isLoading={list.isLoading} />
      {others.length > 0 && (
        <Button color="error" variant="outlined" sx={{ my: 2 }} onClick={() => setEnding(others)}>
          {t.others}
        </Button>
      )}
      {list.items?.some(({ trustedUntil }) => trustedUntil !== null) && (
        <ActionButton
          operation="devices.endAllTrust"
          input={{}}
          label={t.distrustAll}
          title={t.distrustAll}
          text={t.distrustAllText}
          done={t.distrusted}
        />
      )}
      {may('push.list') && <Pushes />}
      <ConfirmDialog
        isOpen={ending.length > 0}
        title={ending.length > 1 ? t.others : ending[0] ? t.signOutOf(nameOf(ending[0])) : ''}
        text={ending.length > 1 ? t.othersText(ending.length) : t.signOutText}
        action={t.signOut}
        isBusy={revoke.isPending}
        onConfirm={() => void end()}
        onClose={() => setEnding([])}
      />
    </AccountPage>
  )
}

/** `1290` minutes after midnight: `21:30`. */
const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

function Pushes() {
  const t = useTexts(words)
  const may = useMay()
  const { data } = useCall('push.list')
  const stop = useAction('push.unsubscribe', { done: t.stopped })
  if (data === undefined || data.items.length === 0) return null
  return (
    <Section title={t.push} text={t.pushText}>
      <List disablePadding>
        {data.items.map(({ id, host, current, createdAt, quietFrom, quietTo }) => (
          <ListItem key={id} disableGutters>
            <ListItemIcon sx={{ minWidth: 40 }}>
              <NotificationsActiveOutlined />
            </ListItemIcon>
            <ListItemText
              primary={withNote(host, current && t.here)}
              secondary={[
                t.since(date(createdAt)),
                quietFrom !== null && quietTo !== null && t.quiet(clock(quietFrom), clock(quietTo)),
              ]
                .filter(Boolean)
                .join(' · ')}
            />
            {may('push.unsubscribe') && (
              <Button onClick={() => stop.mutate({ params: { id } })} aria-label={`${t.stop}: ${host}`}>
                {t.stop}
              </Button>
            )}
          </ListItem>
        ))}
      </List>
    </Section>
  )
}
