/** The user's name, signature and picture as others see them, and the username for the sign-in. */

import { Button, Stack, TextField } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { reloadSession, useSession } from '../../session/session.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { Section } from '../../ui/parts.tsx'
import { PictureField } from '../../ui/PictureField.tsx'
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
  const [nickname, setNickname] = useState(user.nickname)
  const [signature, setSignature] = useState(user.signature ?? '')
  const save = useAction('profile.update', {
    done: t.saved,
    refreshes: ['profile'],
    quiet: true,
    onDone: (saved) => {
      setNickname(saved.nickname)
      void reloadSession()
    },
  })
  const isChanged = nickname !== user.nickname || signature !== (user.signature ?? '')
  return (
    <Section title={t.title}>
      <Stack
        component="form"
        spacing={2}
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate({ body: { nickname: nickname.trim(), signature: signature.trim() } })
        }}
      >
        <TextField
          label={t.nickname}
          value={nickname}
          onChange={({ target }) => setNickname(target.value)}
          error={save.error?.problem('nickname') !== undefined}
          helperText={save.error?.problem('nickname') ?? t.nicknameHint}
          autoComplete="nickname"
        />
        <TextField
          label={t.signature}
          value={signature}
          onChange={({ target }) => setSignature(target.value)}
          error={save.error?.problem('signature') !== undefined}
          helperText={save.error?.problem('signature')}
          multiline
          maxRows={4}
        />
        {save.error !== null && save.error.details.length === 0 && <ErrorNotice error={save.error} />}
        <Button
          type="submit"
          variant="contained"
          disabled={!isChanged}
          loading={save.isPending}
          sx={{ alignSelf: 'flex-start' }}
        >
          {t.save}
        </Button>
      </Stack>
    </Section>
  )
}

function Username() {
  const t = useTexts(words)
  const { user } = useSession()
  const [username, setUsername] = useState(user.username ?? '')
  const save = useAction('profile.setUsername', {
    done: t.usernameSaved,
    refreshes: ['profile'],
    quiet: true,
    onDone: () => void reloadSession(),
  })
  return (
    <Section title={t.username} text={t.usernameText}>
      <Stack
        component="form"
        spacing={2}
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate({ body: { username: username.trim() } })
        }}
      >
        <TextField
          label={t.username}
          value={username}
          onChange={({ target }) => setUsername(target.value)}
          error={save.error?.problem('username') !== undefined}
          helperText={save.error?.problem('username') ?? t.usernameHint}
          autoComplete="username"
          slotProps={{ htmlInput: { autoCapitalize: 'none', spellCheck: false } }}
          required
        />
        {save.error !== null && save.error.details.length === 0 && <ErrorNotice error={save.error} />}
        <Button
          type="submit"
          variant="contained"
          disabled={username.trim() === (user.username ?? '')}
          loading={save.isPending}
          sx={{ alignSelf: 'flex-start' }}
        >
          {t.save}
        </Button>
      </Stack>
    </Section>
  )
}
