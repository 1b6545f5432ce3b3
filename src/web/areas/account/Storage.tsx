/** Quotas of the user, and the devices that keep data of their own: their last exchange and its conflicts. */

import { SyncProblem } from '@mui/icons-material'
import { Box, Button, LinearProgress, List, ListItem, ListItemText, Stack, Typography } from '@mui/material'

import { useAction, useCall } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { SyncConflict } from '../../api/types.ts'
import { bytes, dateTime, labelled, number, relativeTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { Answer, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { Change } from '../../ui/History.tsx'
import { Section } from '../../ui/parts.tsx'
import { AccountPage } from './AccountPage.tsx'

const words = texts({
  en: {
    quotas: 'Your storage',
    storage: 'Storage',
    files: 'Files',
    qrCodes: 'QR codes',
    assets: 'Assets',
    activities: 'Activities',
    organizations: 'Organizations you own',
    of: (used: string, limit: string) => `${used} of ${limit}`,
    upload: (size: string) => `A single file may have up to ${size}.`,
    devices: 'Devices that work offline',
    devicesText: 'Apps that keep your codes and assets without a connection exchange them with the server.',
    noDevices: 'No app of yours keeps data offline.',
    unnamed: 'Unknown device',
    pulled: (when: string) => `read ${when}`,
    pushed: (when: string) => `sent ${when}`,
    waiting: (n: number) => (n === 1 ? '1 conflict' : `${n} conflicts`),
    conflicts: 'Conflicts',
    conflictsText: 'The same thing was changed on a device and on the server. Choose which state counts.',
    server: 'On the server',
    device: 'On the device',
    deleted: 'Deleted',
    keepServer: 'Keep the server’s',
    keepDevice: 'Take the device’s',
    resolved: 'Conflict resolved.',
    again: 'The device sends its state the next time it has a connection.',
    kinds: {
      qrCode: 'QR code',
      category: 'Folder',
      scanRecord: 'Scan',
      albumPhoto: 'Photo',
      asset: 'Asset',
      assetCategory: 'Asset category',
    },
  },
  zh: {
    quotas: '你的存储空间',
    storage: '存储空间',
    files: '文件',
    qrCodes: '二维码',
    assets: '资产',
    activities: '活动',
    organizations: '你拥有的组织',
    of: (used: string, limit: string) => `${used} / ${limit}`,
    upload: (size: string) => `单个文件不超过 ${size}。`,
    devices: '离线使用的设备',
    devicesText: '离线保存二维码和资产的应用会与服务器同步。',
    noDevices: '你没有离线保存数据的应用。',
    unnamed: '未知设备',
    pulled: (when: string) => `${when}接收`,
    pushed: (when: string) => `${when}发送`,
    waiting: (n: number) => `${n} 个冲突`,
    conflicts: '冲突',
    conflictsText: '同一内容在设备和服务器上都有改动，请选择以哪一份为准。',
    server: '服务器上',
    device: '设备上',
    deleted: '已删除',
    keepServer: '保留服务器的',
    keepDevice: '采用设备的',
    resolved: '冲突已解决。',
    again: '设备下次联网时会再次发送它的内容。',
    kinds: {
      qrCode: '二维码',
      category: '文件夹',
      scanRecord: '扫码记录',
      albumPhoto: '照片',
      asset: '资产',
      assetCategory: '资产分类',
    },
  },
})

export default function Storage() {
  const may = useMay()
  return (
    <AccountPage tab="storage">
      <QuotaList />
      {may('sync.devices') && <SyncDevices />}
      {may('sync.conflicts') && <Conflicts />}
    </AccountPage>
  )
}

const KINDS = ['storage', 'files', 'qrCodes', 'assets', 'activities', 'organizations'] as const

function QuotaList() {
  const t = useTexts(words)
  const quotas = useCall('profile.quotas')
  return (
    <Section title={t.quotas}>
      <Answer query={quotas}>
        {(data) => (
          <Stack spacing={1.75}>
            {KINDS.map((kind) => {
              const { used, limit } = data[kind]
              const show = kind === 'storage' ? bytes : number
              return (
                <Box key={kind}>
                  <Stack direction="row" sx={{ justifyContent: 'space-between', gap: 2 }}>
                    <Typography>{t[kind]}</Typography>
                    <Typography color="text.secondary">
                      {limit === 0 ? show(used) : t.of(show(used), show(limit))}
                    </Typography>
                  </Stack>
                  {limit > 0 && (
                    <LinearProgress
                      variant="determinate"
                      value={Math.min(100, (used / limit) * 100)}
                      color={used >= limit ? 'error' : 'primary'}
                      aria-label={t[kind]}
                      sx={{ height: 6, borderRadius: 3 }}
                    />
                  )}
                </Box>
              )
            })}
            <Typography variant="body2" color="text.secondary">
              {t.upload(bytes(data.uploadMaxBytes))}
            </Typography>
          </Stack>
        )}
      </Answer>
    </Section>
  )
}

function SyncDevices() {
  const t = useTexts(words)
  const devices = useCall('sync.devices')
  return (
    <Section title={t.devices} text={t.devicesText}>
      <Answer query={devices}>
        {({ items }) =>
          items.length === 0 ? (
            <Typography color="text.secondary">{t.noDevices}</Typography>
          ) : (
            <List disablePadding>
              {items.map(({ deviceId, deviceName, lastPullAt, lastPushAt, pendingConflicts }) => (
                <ListItem key={deviceId} disableGutters>
                  <ListItemText
                    primary={deviceName || t.unnamed}
                    secondary={[
                      lastPullAt !== null && t.pulled(relativeTime(lastPullAt)),
                      lastPushAt !== null && t.pushed(relativeTime(lastPushAt)),
                      pendingConflicts > 0 && t.waiting(pendingConflicts),
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  />
                </ListItem>
              ))}
            </List>
          )
        }
      </Answer>
    </Section>
  )
}

function Conflicts() {
  const t = useTexts(words)
  const list = usePages('sync.conflicts', { query: { status: 'OPEN' } })
  if (list.error !== null) return <ErrorNotice error={list.error} onRetry={list.retry} />
  if (list.items === undefined) return <Loading />
  if (list.items.length === 0) return null
  return (
    <Section title={t.conflicts} text={t.conflictsText}>
      <Stack spacing={2}>
        {list.items.map((conflict) => (
          <Conflict key={conflict.id} conflict={conflict} />
        ))}
      </Stack>
      <MoreButton shown={list.items.length} total={list.total} onMore={list.more} isLoading={list.isLoading} />
    </Section>
  )
}

/** The server sets them by itself. */
const OF_SERVER = ['id', 'uuid', 'orgId', 'ownerId', 'version', 'createdAt', 'updatedAt', 'lastScannedAt', 'scanCount']

/** The properties that the device would change. Those that it has not sent stay as they are on the server. */
const differences = (server: object, device: object): string[] =>
  Object.entries(device).flatMap(([name, value]) =>
    OF_SERVER.includes(name) || JSON.stringify(value) === JSON.stringify((server as Record<string, unknown>)[name])
      ? []
      : [name],
  )

function Conflict({ conflict }: { conflict: SyncConflict }) {
  const t = useTexts(words)
  const may = useMay()
  const resolve = useAction('sync.resolve', { refreshes: ['sync'], done: t.resolved })
  const { id, entity, serverData, clientData, serverUpdatedAt, clientUpdatedAt } = conflict
  const title = String(serverData?.['name'] ?? clientData?.['name'] ?? t.kinds[entity])
  const changed = serverData !== null && clientData !== null ? differences(serverData, clientData) : []
  const sides = [
    { name: t.server, data: serverData, time: serverUpdatedAt, accept: true, action: t.keepServer },
    { name: t.device, data: clientData, time: clientUpdatedAt, accept: false, action: t.keepDevice },
  ]
  return (
    <Box sx={{ border: 1, borderColor: 'divider', borderRadius: 1, p: 1.5 }}>
      <Stack direction="row" spacing={1} sx={{ alignItems: 'center', mb: 1 }}>
        <SyncProblem color="warning" />
        <Typography variant="h3" sx={{ overflowWrap: 'anywhere' }}>
          {labelled(t.kinds[entity], title)}
        </Typography>
      </Stack>
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' } }}>
        {sides.map(({ name, data, time, accept, action }) => (
          <Stack key={name} spacing={1} sx={{ alignItems: 'flex-start', minWidth: 0 }}>
            <Typography variant="body2" color="text.secondary">
              {time === 0 ? name : `${name} · ${dateTime(time)}`}
            </Typography>
            {data === null ? (
              <Typography>{t.deleted}</Typography>
            ) : (
              <Box>
                <Change before={null} after={Object.fromEntries(changed.map((field) => [field, data[field]]))} />
              </Box>
            )}
            {may('sync.resolve') && (
              <Button
                variant="outlined"
                loading={resolve.isPending}
                onClick={() => resolve.mutate({ body: { conflictId: id, acceptServer: accept } })}
              >
                {action}
              </Button>
            )}
          </Stack>
        ))}
      </Box>
      <Typography variant="caption" color="text.secondary">
        {t.again}
      </Typography>
    </Box>
  )
}
