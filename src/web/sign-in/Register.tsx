/** Registration with a username or an e-mail address. */

import { Link, TextField } from '@mui/material'
import { Link as RouterLink, useNavigate } from 'react-router'

import { texts, useTexts } from '../i18n/words.ts'
import { signInWith } from '../session/sign-in.ts'
import { useForm } from '../ui/use-form.tsx'
import { Frame } from './Frame.tsx'
import { useInvitation, useMailInvitation, useTarget } from './target.ts'

const words = texts({
  en: {
    title: 'Create an account',
    account: 'Username or e-mail',
    hint: 'A username has 3 to 32 letters, digits, dots, dashes or underscores, and begins with a letter.',
    invited: 'A username is enough: the address to which the invitation was sent becomes yours.',
    nickname: 'Name that others see',
    submit: 'Create account',
    signIn: 'I have an account',
  },
  zh: {
    title: '注册账号',
    account: '用户名或邮箱',
    hint: '用户名由 3 至 32 个字母、数字、点、短横线或下划线组成，以字母开头。',
    invited: '填写用户名即可：收到邀请的邮箱会绑定到你的账号。',
    nickname: '昵称',
    submit: '注册',
    signIn: '已有账号',
  },
})

export default function Register() {
  const t = useTexts(words)
  const navigate = useNavigate()
  const { state, target } = useTarget()
  const invitation = useInvitation()
  const invitationToken = useMailInvitation()
  const form = useForm(
    'auth.register',
    { account: '', password: '', nickname: '' },
    {
      paths: { account: ['email', 'username'] },
      input: ({ account, password, nickname }) => ({
        body: {
          ...(account.includes('@') ? { email: account } : { username: account }),
          password,
          ...(nickname.trim() !== '' && { nickname }),
          ...(invitationToken !== undefined && { invitationToken }),
        },
      }),
      refreshes: [],
      send: ({ body }, id) => signInWith(id, body),
      // A link to join was opened to join; an invitation by mail is accepted already.
      onDone: () =>
        void navigate(invitationToken === undefined ? target : '/orgs', {
          replace: true,
          ...(invitation !== undefined && { state: { joins: true } }),
        }),
    },
  )
  return (
    <Frame
      title={t.title}
      form={form}
      action={t.submit}
      links={
        <Link component={RouterLink} to="/login" state={state}>
          {t.signIn}
        </Link>
      }
    >
      <TextField
        {...form.text('account', { label: t.account, help: invitationToken === undefined ? t.hint : t.invited })}
        autoComplete="username"
        slotProps={{ htmlInput: { autoCapitalize: 'none', spellCheck: false } }}
        required
        autoFocus
      />
      <TextField {...form.text('password')} type="password" autoComplete="new-password" />
      <TextField {...form.text('nickname', { label: t.nickname })} autoComplete="nickname" />
    </Frame>
  )
}
