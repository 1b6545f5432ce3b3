/** Sends a notification to users, to the members of an organization or to everyone. */

import { Send } from '@mui/icons-material'
import { Chip, FormControlLabel, FormLabel, Radio, RadioGroup, Stack, TextField } from '@mui/material'
import { useId } from 'react'
import { useNavigate } from 'react-router'

import { call } from '../../api/client.ts'
import type { UserAdmin } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { Form } from '../../ui/Form.tsx'
import { MarkdownEditor } from '../../ui/Markdown.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { OrgPicker, UserPicker } from '../../ui/pickers.tsx'
import { useForm } from '../../ui/use-form.tsx'

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
  },
})

type Audience = 'users' | 'org' | 'all'

export default function NotificationForm() {
  const t = useTexts(words)
  const navigate = useNavigate()
  const audienceLabel = useId()
  const form = useForm(
    'admin.notifications.send',
    {
      audience: 'users' as Audience,
      users: [] as readonly UserAdmin[],
      orgId: null as number | null,
      title: '',
      body: '',
    },
    {
      asks: true,
      done: t.sent,
      refreshes: ['admin.notifications'],
      paths: { users: 'userIds' },
      input: ({ audience, users, orgId, ...text }) => ({
        body:
          audience === 'all'
            ? { all: true, ...text }
            : audience === 'org'
              ? { orgId: orgId!, ...text }
              : { userIds: users.map(({ id }) => id), ...text },
      }),
      onDone: () => void navigate('/admin/notifications'),
    },
  )
  const { audience, users } = form.values
  const add = async (userId: number | null) => {
    if (userId === null || users.some(({ id }) => id === userId)) return
    const user = await call('admin.users.get', { params: { userId } })
    form.set({ users: [...users, user] })
  }
  return (
    <Page title={t.title} back="/admin/notifications">
      <Section>
        <Form form={form} action={t.send} icon={<Send />}>
          <div>
            <FormLabel id={audienceLabel}>{t.to}</FormLabel>
            <RadioGroup
              aria-labelledby={audienceLabel}
              value={audience}
              onChange={(_, chosen) => form.set({ audience: chosen as Audience })}
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
                error={form.problem('users')}
                required={users.length === 0}
              />
              {users.length > 0 && (
                <ChosenUsers
                  users={users}
                  onRemove={(userId) => form.set({ users: users.filter(({ id }) => id !== userId) })}
                />
              )}
            </>
          )}
          {audience === 'org' && <OrgPicker {...form.pick('orgId')} required />}
          <TextField {...form.text('title')} />
          <MarkdownEditor {...form.pick('body', { label: t.body })} rows={8} />
        </Form>
      </Section>
      <ConfirmDialog
        {...form.question}
        title={audience === 'all' ? t.askAll : audience === 'org' ? t.askOrg : t.askUsers(users.length)}
        text={t.text}
        action={t.send}
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
