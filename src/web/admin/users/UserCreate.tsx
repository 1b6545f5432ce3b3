/** A new user, and the password that the server made for them, which is shown once. */

import { ContentCopy } from '@mui/icons-material'
import { Alert, Button, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'

import type { CreatedUser } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useCopy } from '../../ui/copy.ts'
import { Form } from '../../ui/Form.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { nameOf } from '../../ui/UserLink.tsx'

const words = texts({
  en: {
    title: 'New user',
    usernameHelp: '3 to 32 letters, digits and single _ . - between them. The first is a letter.',
    nicknameHelp: 'Generated if you leave it empty.',
    passwordHelp: 'Leave it empty: the server makes a strong one and shows it to you once.',
    contactHelp: 'The person can sign in with it after confirming it with a code.',
    create: 'Create user',
    created: 'The user is created.',
    once: (name: string) => `${name} can sign in now. Give them this password: it is not shown again.`,
    copy: 'Copy password',
    open: 'Open the user',
  },
  zh: {
    title: '新建用户',
    usernameHelp: '3 到 32 个字母、数字，中间可用单个 _ . -，以字母开头。',
    nicknameHelp: '留空则自动生成。',
    passwordHelp: '留空：服务器生成强密码，并只显示一次。',
    contactHelp: '用户用验证码确认后，可用它登录。',
    create: '新建用户',
    created: '用户已创建。',
    once: (name: string) => `${name} 现在可以登录。请把此密码交给对方，密码不会再次显示。`,
    copy: '复制密码',
    open: '打开用户页面',
  },
})

const EMPTY = { username: '', nickname: '', password: '', email: '', phone: '' }

export default function UserCreate() {
  const t = useTexts(words)
  const navigate = useNavigate()
  const [created, setCreated] = useState<CreatedUser>()
  const form = useForm('admin.users.create', EMPTY, {
    done: t.created,
    refreshes: ['admin'],
    input: ({ username, ...optional }) => ({
      body: { username, ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== '')) },
    }),
    onDone: (user) => {
      if (user.initialPassword === undefined) void navigate(`/admin/users/${user.id}/show`, { replace: true })
      else setCreated(user)
    },
  })
  return (
    <Page title={t.title} back="/admin/users" width="form">
      <Section>
        {created === undefined ? (
          <Form form={form} action={t.create}>
            <TextField {...form.text('username', { help: t.usernameHelp })} autoFocus autoComplete="off" />
            <TextField {...form.text('nickname', { help: t.nicknameHelp })} autoComplete="off" />
            <TextField {...form.text('password', { help: t.passwordHelp })} autoComplete="new-password" />
            <TextField {...form.text('email', { help: t.contactHelp })} autoComplete="off" type="email" />
            <TextField {...form.text('phone', { help: t.contactHelp })} autoComplete="off" type="tel" />
          </Form>
        ) : (
          <InitialPassword user={created} />
        )}
      </Section>
    </Page>
  )
}

function InitialPassword({ user }: { user: CreatedUser }) {
  const t = useTexts(words)
  const copy = useCopy()
  return (
    <Stack spacing={2}>
      <Alert severity="success">{t.once(nameOf(user))}</Alert>
      <Typography component="output" sx={{ fontFamily: 'monospace', fontSize: '1.25rem', overflowWrap: 'anywhere' }}>
        {user.initialPassword}
      </Typography>
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
        <Button variant="contained" startIcon={<ContentCopy />} onClick={() => copy(user.initialPassword ?? '')}>
          {t.copy}
        </Button>
        <Button component={Link} to={`/admin/users/${user.id}/show`}>
          {t.open}
        </Button>
      </Stack>
    </Stack>
  )
}
