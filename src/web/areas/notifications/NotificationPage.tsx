/** One notification with its whole text, and the way to the page that it is about. Opening it marks it as read. */

import { ArrowForward, DeleteOutlined } from '@mui/icons-material'
import { Button, Card, CardContent, Stack, Typography } from '@mui/material'
import { useEffect, useState } from 'react'
import { useNavigate, useParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import { common } from '../../i18n/common.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { Answer } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { Rendered } from '../../ui/Rendered.tsx'
import { DeleteDialog } from './DeleteDialog.tsx'
import { targetOf, typeWords } from './links.ts'
import { useNotificationActions, useOpenTarget } from './use-notifications.ts'

const words = texts({
  en: { ...common.en, title: 'Notification', go: 'Go there' },
  zh: { ...common.zh, title: '通知', go: '前往查看' },
})

export default function NotificationPage() {
  const t = useTexts(words)
  const types = useTexts(typeWords)
  const may = useMay()
  const navigate = useNavigate()
  const open = useOpenTarget()
  const id = Number(useParams()['id'])
  const detail = useCall('notifications.detail', { params: { id } })
  const { read } = useNotificationActions()
  const [isDeleting, setDeleting] = useState(false)
  const isUnread = detail.data?.read === false
  const markRead = read.mutate
  useEffect(() => {
    if (isUnread && may('notifications.read')) markRead({ params: { id } })
  }, [isUnread, id, markRead, may])
  return (
    <Page
      title={detail.data?.title ?? t.title}
      back="/notifications"
      width="form"
      actions={
        detail.data &&
        may('notifications.delete') && (
          <Button color="error" startIcon={<DeleteOutlined />} onClick={() => setDeleting(true)}>
            {t.delete}
          </Button>
        )
      }
    >
      <Answer query={detail}>
        {(notification) => (
          <Card>
            <CardContent>
              <Typography variant="body2" color="text.secondary" gutterBottom>
                {types[notification.type]} · {dateTime(notification.createdAt)}
              </Typography>
              <Rendered html={notification.bodyHtml} />
              {targetOf(notification) !== undefined && (
                <Stack direction="row" sx={{ mt: 2 }}>
                  <Button variant="contained" endIcon={<ArrowForward />} onClick={() => open(notification)}>
                    {t.go}
                  </Button>
                </Stack>
              )}
            </CardContent>
          </Card>
        )}
      </Answer>
      <DeleteDialog
        notification={isDeleting ? detail.data : undefined}
        onDeleted={() => void navigate('/notifications', { replace: true })}
        onClose={() => setDeleting(false)}
      />
    </Page>
  )
}
