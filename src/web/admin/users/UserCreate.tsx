/** A new user, and the password that the server made for them, which is shown once. */

import { ContentCopy } from '@mui/icons-material'
import { Alert, Button, Card, CardContent, Stack, TextField, Typography } from '@mui/material'
import { type FormEvent, useState } from 'react'
import { Link, useNavigate } from 'react-router'

import { useAction } from '../../api/hooks.ts'
import type { CreatedUser } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { useCopy } from '../../ui/copy.ts'
import { Page } from '../../ui/Page.tsx'
import { nameOf } from '../../ui/UserLink.tsx'

const words = texts({
  en: {
    title: 'New user',
    username: 'Username',
    usernameHelp: '3 to 32 letters, digits and single _ . - between them. The first is a letter.',
    nickname: 'Nickname',
    nicknameHelp: 'Generated if you leave it empty.',
    password: 'Password',
    passwordHelp: 'Leave it empty: the server makes a strong one and shows it to you once.',
    email: 'E-mail',
    phone: 'Phone',
    contactHelp: 'The person can sign in with it after confirming it by a code.',
    create: 'Create user',
    created: 'The user is created.',
    once: (name: string) => `${name} can sign in now. Give them this password: it is not shown again.`,
    copy: 'Copy password',
    open: 'Open the user',
  },
  zh: {
    title: '新建用户',
    username: '用户名',
    usernameHelp: '3 到 32 个字母、数字，中间可用单个 _ . -，以字母开头。',
    nickname: '昵称',
    nicknameHelp: '留空则自动生成。',
    password: '密码',
    passwordHelp: '留空：服务器生成强密码，并只显示一次。',
    email: '邮箱',
    phone: '手机号',
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
  const [form, setForm] = useState(EMPTY)
  const [created, setCreated] = useState<CreatedUser>()
  const create = useAction('admin.users.create', {
    done: t.created,
    quiet: true,
    refreshes: ['admin', 'admin/users'],
    onDone: (user) => {
      if (user.initialPassword === undefined) void navigate(`/admin/users/${user.id}/show`, { replace: true })
      else setCreated(user)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const given = Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''))
    create.mutate({ body: { ...given, username: form.username } })
  }
  const field = (name: keyof typeof EMPTY, label: string, help: string) => (
    <TextField
      label={label}
      value={form[name]}
      onChange={({ target }) => setForm({ ...form, [name]: target.value })}
      error={create.error?.problem(name) !== undefined}
      helperText={create.error?.problem(name) ?? help}
      required={name === 'username'}
      autoFocus={name === 'username'}
      autoComplete={name === 'password' ? 'new-password' : 'off'}
      type={name === 'email' ? 'email' : name === 'phone' ? 'tel' : 'text'}
    />
  )
  return (
    <Page title={t.title} back="/admin/users" width={640}>
      <Card>
        {created === undefined ? (
          <CardContent component="form" onSubmit={submit}>
            <Stack spacing={2}>
              {field('username', t.username, t.usernameHelp)}
              {field('nickname', t.nickname, t.nicknameHelp)}
              {field('password', t.password, t.passwordHelp)}
              {field('email', t.email, t.contactHelp)}
              {field('phone', t.phone, t.contactHelp)}
              {create.error !== null && <ErrorNotice error={create.error} />}
              <Button type="submit" variant="contained" loading={create.isPending} sx={{ alignSelf: 'flex-start' }}>
                {t.create}
              </Button>
            </Stack>
          </CardContent>
        ) : (
          <CardContent>
            <InitialPassword user={created} />
          </CardContent>
        )}
      </Card>
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
