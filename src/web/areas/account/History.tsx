/** Sign-ins and changes of the account, also those that failed. */

import { HistoryOutlined } from '@mui/icons-material'
import { Card, List, ListItem, ListItemText, Stack, ToggleButton, ToggleButtonGroup, Typography } from '@mui/material'
import { useState } from 'react'

import { usePages } from '../../api/pages.ts'
import { useEnum } from '../../i18n/enums.ts'
import { dateTime } from '../../i18n/format.ts'
import { failureWords, loginWords } from '../../i18n/login-words.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useSession } from '../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { Status } from '../../ui/Status.tsx'
import { AccountPage } from './AccountPage.tsx'

const words = texts({
  en: {
    all: 'All',
    failed: 'Failed',
    text: 'If you do not recognize something here, change your password and sign out the devices that you do not know.',
    none: 'Nothing failed',
    empty: 'No records yet',
  },
  zh: {
    all: '全部',
    failed: '失败',
    text: '如有不是你本人的操作，请更改密码，并退出不认识的设备。',
    none: '没有失败记录',
    empty: '暂无记录',
  },
})

export default function History() {
  const t = useTexts(words)
  const resultOf = useEnum('loginStatus')
  const events = useTexts(loginWords)
  const failures = useTexts(failureWords)
  const { user } = useSession()
  const [isFailed, setFailed] = useState(false)
  const all = usePages('loginRecords.ofUser', { params: { userId: user.id } }, { enabled: !isFailed })
  const failed = usePages('loginRecords.failed', undefined, { enabled: isFailed })
  const list = isFailed ? failed : all
  return (
    <AccountPage tab="history">
      <Stack spacing={2} sx={{ alignItems: 'flex-start', mb: 2 }}>
        <Typography color="text.secondary">{t.text}</Typography>
        <ToggleButtonGroup
          exclusive
          size="small"
          value={isFailed ? 'failed' : 'all'}
          onChange={(_, value) => value !== null && setFailed(value === 'failed')}
        >
          <ToggleButton value="all" sx={{ px: 2 }}>
            {t.all}
          </ToggleButton>
          <ToggleButton value="failed" sx={{ px: 2 }}>
            {t.failed}
          </ToggleButton>
        </ToggleButtonGroup>
      </Stack>
      {list.error !== null && <ErrorNotice error={list.error} onRetry={list.retry} />}
      {list.items === undefined && list.error === null && <Loading />}
      {list.items?.length === 0 && <EmptyState icon={HistoryOutlined} title={isFailed ? t.none : t.empty} />}
      {list.items !== undefined && list.items.length > 0 && (
        <Card>
          <List disablePadding>
            {list.items.map((record) => (
              <ListItem key={record.id} divider sx={{ gap: 2 }}>
                <ListItemText
                  primary={events[record.loginType]}
                  secondary={[dateTime(record.createdAt), record.deviceName, record.ipAddress, record.city]
                    .filter(Boolean)
                    .join(' · ')}
                  slotProps={{ secondary: { sx: { overflowWrap: 'anywhere' } } }}
                />
                <Typography variant="body2" component="div" sx={{ flexShrink: 0, maxWidth: '45%' }}>
                  <Status tone={record.status === 'success' ? 'good' : 'bad'} text={resultOf(record.status)} />
                  {record.failureReason !== null && (
                    <Typography variant="caption" color="text.secondary" sx={{ display: 'block' }}>
                      {failures[record.failureReason] ?? record.failureReason}
                    </Typography>
                  )}
                </Typography>
              </ListItem>
            ))}
          </List>
        </Card>
      )}
      <MoreButton shown={list.items?.length ?? 0} total={list.total} onMore={list.more} isLoading={list.isLoading} />
    </AccountPage>
  )
}
