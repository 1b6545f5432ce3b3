/** The user's name, signature and picture as others see them, and the username for the sign-in. */

import { TextField } from '@mui/material'

import { useAction } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { reloadSession, useSession } from '../../session/session.ts'
import { Form } from '../../ui/Form.tsx'
import { Section } from '../../ui/parts.tsx'
import { PictureField } from '../../ui/PictureField.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { AccountPage } from './AccountPage.tsx'

const words = texts({
  en: {
    picture: 'Picture',
    pictureSaved: 'Picture saved.',
    title: 'How others see you',
    nickname: 'Name',
    nicknameHint: 'Leave empty for a generated name.',
    signature: 'About you',
    save: 'Save',
    saved: 'Profile saved.',
    username: 'Username',
    usernameText: 'You can sign in with it. Others do not see it.',
    usernameHint: 'Three to 32 letters, digits, dots, dashes or underscores, beginning with a letter.',
    usernameFixed: 'A username cannot be changed once it is set.',
    usernameSaved: 'Username saved.',
  },
  zh: {
    picture: '头像',
    pictureSaved: '头像已保存。',
    title: '其他人看到的资料',
    nickname: '昵称',
    nicknameHint: '留空则自动生成昵称。',
    signature: '个性签名',
    save: '保存',
    saved: '资料已保存。',
    username: '用户名',
    usernameText: '可用于登录，其他人看不到。',
    usernameHint: '3 至 32 个字母、数字、点、短横线或下划线，以字母开头。',
    usernameFixed: '用户名设置后不能修改。',
    usernameSaved: '用户名已保存。',
  },
})

export default function Profile() {
  return (
    <AccountPage tab="profile">
      <Picture />
      <Names />
      <Username />
    </AccountPage>
  )
}

function Picture() {
  const t = useTexts(words)
  const { user } = useSession()
  const save = useAction('profile.update', {
    done: t.pictureSaved,
    refreshes: ['profile'],
    onDone: () => void reloadSession(),
  })
  return (
    <Section title={t.picture}>
      <PictureField
        url={user.avatarUrl}
        name={user.nickname}
        look="person"
        type="avatar"
        isBusy={save.isPending}
        onChange={(avatarFileId) => save.mutate({ body: { avatarFileId } })}
      />
    </Section>
  )
}

function Names() {
  const t = useTexts(words)
  const { user } = useSession()
  const form = useForm(
    'profile.update',
    { nickname: user.nickname, signature: user.signature ?? '' },
    {
      done: t.saved,
      onDone({ nickname, signature }) {
        form.reset({ nickname, signature: signature ?? '' })
        void reloadSession()
      },
    },
  )
  return (
    <Section title={t.title}>
      <Form form={form} action={t.save} needsChange>
        <TextField {...form.text('nickname', { label: t.nickname, help: t.nicknameHint })} autoComplete="nickname" />
        <TextField {...form.text('signature', { label: t.signature })} multiline maxRows={4} />
      </Form>
    </Section>
  )
}

function Username() {
  const t = useTexts(words)
  const { user } = useSession()
  const isSet = user.username !== null
  const form = useForm(
    'profile.setUsername',
    { username: user.username ?? '' },
    {
      done: t.usernameSaved,
      onDone({ username }) {
        form.reset({ username: username ?? '' })
        void reloadSession()
      },
    },
  )
  return (
    <Section title={t.username} text={t.usernameText}>
      <Form form={form} {...(!isSet && { action: t.save })} needsChange>
        <TextField
          {...form.text('username', { help: isSet ? t.usernameFixed : t.usernameHint })}
          disabled={isSet}
          autoComplete="username"
          slotProps={{ htmlInput: { autoCapitalize: 'none', spellCheck: false } }}
        />
      </Form>
    </Section>
  )
}
