/** Sends a notification to users, to the members of an organization or to everyone. */

import { Send } from '@mui/icons-material'
import {
  Button,
  Card,
  CardContent,
  Chip,
  FormControlLabel,
  FormLabel,
  Radio,
  RadioGroup,
  Stack,
  TextField,
} from '@mui/material'
import { type FormEvent, useId, useState } from 'react'
import { useNavigate } from 'react-router'

import { call } from '../../api/client.ts'
import { useAction } from '../../api/hooks.ts'
import type { SendNotification, UserAdmin } from '../../api/types.ts'
import { useLabels } from '../../i18n/fields.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { MarkdownEditor } from '../../ui/Markdown.tsx'
import { Page } from '../../ui/Page.tsx'
import { OrgPicker, UserPicker } from '../../ui/pickers.tsx'

const words = texts({
  en: {
    title: 'Send notification',
    send: 'Send',
    to: 'Recipients',
    users: 'Users',
    org: 'The members of an organization',
    all: 'Everyone with an account',
    add: 'Add a user',
    chosen: 'Chosen users',
    body: 'Text (Markdown)',
    askUsers: (n: number) => (n === 1 ? 'Send it to 1 user?' : `Send it to ${n} users?`),
    askOrg: 'Send it to the members of the organization?',
    askAll: 'Send it to everyone?',
    text: 'The notification appears at once in their list, and as a push on their devices. You can take it back later, but not the pushes.',
    sent: 'The notification is being sent.',
    missing: 'Choose at least one recipient.',
  },
  zh: {
    title: '发送通知',
    send: '发送',
    to: '接收者',
    users: '指定用户',
    org: '某个组织的成员',
    all: '所有用户',
    add: '添加用户',
    chosen: '已选用户',
    body: '正文（Markdown）',
    askUsers: (n: number) => `发送给 ${n} 位用户？`,
    askOrg: '发送给该组织的成员？',
    askAll: '发送给所有用户？',
    text: '通知会立即出现在对方的列表中，并推送到其设备。之后可以撤回通知，但推送无法收回。',
    sent: '通知正在发送。',
    missing: '请至少选择一位接收者。',
  },
})

type Audience = 'users' | 'org' | 'all'

export default function NotificationForm() {
  const t = useTexts(words)
  const f = useLabels()
  const navigate = useNavigate()
  const audienceLabel = useId()
  const [audience, setAudience] = useState<Audience>('users')
  const [users, setUsers] = useState<readonly UserAdmin[]>([])
  const [orgId, setOrgId] = useState<number | null>(null)
  const [title, setTitle] = useState('')
  const [body, setBody] = useState('')
  const [isAsking, setAsking] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const send = useAction('admin.notifications.send', {
    quiet: true,
    done: t.sent,
    refreshes: ['admin.notifications', 'admin/notifications'],
    onDone: () => void navigate('/admin/notifications'),
  })

  const add = async (userId: number | null) => {
    if (userId === null || users.some(({ id }) => id === userId)) return
    const user = await call('admin.users.get', { params: { userId } })
    setUsers((before) => [...before, user])
    setMissing(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const isReady = audience === 'all' || (audience === 'org' ? orgId !== null : users.length > 0)
    setMissing(!isReady)
    if (isReady) setAsking(true)
  }
  const confirm = () => {
    const text = { title: title.trim(), body }
    const message: SendNotification =
      audience === 'all'
        ? { all: true, ...text }
        : audience === 'org'
          ? { orgId: orgId!, ...text }
          : { userIds: users.map(({ id }) => id), ...text }
    send.mutate({ body: message }, { onError: () => setAsking(false) })
  }
  const missing = isMissing ? t.missing : undefined
  return (
    <Page title={t.title} back="/admin/notifications">
      <Card variant="outlined">
        <CardContent>
          <Stack component="form" spacing={2.5} onSubmit={submit}>
            <div>
              <FormLabel id={audienceLabel}>{t.to}</FormLabel>
              <RadioGroup
                aria-labelledby={audienceLabel}
                value={audience}
                onChange={(_, chosen) => setAudience(chosen as Audience)}
              >
                <FormControlLabel value="users" control={<Radio />} label={t.users} />
                <FormControlLabel value="org" control={<Radio />} label={t.org} />
                <FormControlLabel value="all" control={<Radio />} label={t.all} />
              </RadioGroup>
            </div>
            {audience === 'users' && (
              <>
                <UserPicker
                  key={users.length}
                  value={null}
                  label={t.add}
                  onChange={(id) => void add(id)}
                  error={missing ?? send.error?.problem('userIds')}
                />
                {users.length > 0 && (
                  <ChosenUsers
                    users={users}
                    onRemove={(userId) => setUsers((before) => before.filter(({ id }) => id !== userId))}
                  />
                )}
              </>
            )}
            {audience === 'org' && (
              <OrgPicker value={orgId} onChange={setOrgId} error={missing ?? send.error?.problem('orgId')} required />
            )}
            <TextField
              label={f('title')}
              value={title}
              onChange={(event) => setTitle(event.target.value)}
              required
              error={send.error?.problem('title') !== undefined}
              helperText={send.error?.problem('title')}
            />
            <MarkdownEditor
              label={t.body}
              value={body}
              onChange={setBody}
              error={send.error?.problem('body')}
              rows={8}
              required
            />
            {send.error !== null && <ErrorNotice error={send.error} />}
            <Button type="submit" variant="contained" startIcon={<Send />} sx={{ alignSelf: 'flex-start' }}>
              {t.send}
            </Button>
          </Stack>
        </CardContent>
      </Card>
      <ConfirmDialog
        isOpen={isAsking}
        title={audience === 'all' ? t.askAll : audience === 'org' ? t.askOrg : t.askUsers(users.length)}
        text={t.text}
        action={t.send}
        isBusy={send.isPending}
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      />
    </Page>
  )
}

function ChosenUsers({ users, onRemove }: { users: readonly UserAdmin[]; onRemove: (userId: number) => void }) {
  const t = useTexts(words)
  return (
    <Stack component="section" aria-label={t.chosen} direction="row" useFlexGap spacing={1} sx={{ flexWrap: 'wrap' }}>
      {users.map((user) => (
        <Chip key={user.id} label={user.nickname || user.username || user.id} onDelete={() => onRemove(user.id)} />
      ))}
    </Stack>
  )
}
