/** Accounts between which the user can change without signing in again. */

import { LinkOutlined } from '@mui/icons-material'
import { Button, List, ListItem, ListItemAvatar, ListItemText, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import { accept } from '../../api/tokens.ts'
import type { AccountLink } from '../../api/types.ts'
import { labelled } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useSession } from '../../session/session.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { CodeField } from '../../ui/CodeField.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { NumberField, ToggleField } from '../../ui/fields.tsx'
import { Section } from '../../ui/parts.tsx'
import { Portrait } from '../../ui/Portrait.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { AccountPage } from './AccountPage.tsx'

const words = texts({
  en: {
    out: 'Accounts you can switch to',
    outText: 'Prove once that the other account is yours, too. Then you can switch to it here without its password.',
    in: 'Accounts that can switch to this one',
    inText: 'Remove an account that you do not know. It is signed out of yours at once.',
    none: 'No linked accounts',
    add: 'Link an account',
    change: 'Switch to it',
    accept: 'Accept',
    acceptText: (name: string) =>
      `${name} will be able to sign in to your account without its password, until you remove the link.`,
    accepted: 'Accepted.',
    pending: 'Waits for you',
    waiting: 'Waits for the other account',
    remove: 'Remove',
    removeText: (name: string) =>
      `The accounts are no longer linked. Sessions that ${name} opened through the link end at once.`,
    removed: 'Link removed.',
    linked: 'Account linked.',
    ways: { PASSWORD: 'Password', EMAIL_CODE: 'E-mail code', PHONE_CODE: 'SMS code' },
    number: 'Number of the other account',
    numberHint: (id: number) => `The number of this account is ${id}. Each account shows its number here.`,
    password: 'Password of the other account',
    email: 'E-mail of the other account',
    phone: 'Phone of the other account',
    action: 'Link',
  },
  zh: {
    out: '可切换到的账号',
    outText: '只需验证一次另一个账号也属于你，之后可在此免密码切换。',
    in: '可切换到本账号的账号',
    inText: '请移除不认识的账号，移除后对方会立即退出你的账号。',
    none: '没有关联账号',
    add: '关联账号',
    change: '切换',
    accept: '同意',
    acceptText: (name: string) => `在你取消关联之前，${name} 可以免密码登录你的账号。`,
    accepted: '已同意。',
    pending: '等待你同意',
    waiting: '等待对方同意',
    remove: '取消关联',
    removeText: (name: string) => `账号将不再关联，${name} 通过关联打开的会话立即结束。`,
    removed: '已取消关联。',
    linked: '账号已关联。',
    ways: { PASSWORD: '密码', EMAIL_CODE: '邮箱验证码', PHONE_CODE: '短信验证码' },
    number: '另一个账号的编号',
    numberHint: (id: number) => `本账号的编号是 ${id}，每个账号都可在此看到自己的编号。`,
    password: '另一个账号的密码',
    email: '另一个账号的邮箱',
    phone: '另一个账号的手机号',
    action: '关联',
  },
})

export default function Links() {
  const t = useTexts(words)
  const may = useMay()
  return (
    <AccountPage tab="links">
      <Section title={t.out} text={t.outText}>
        <LinkList direction="OUTGOING" />
        {may('auth.link') && (
          <DialogButton label={t.add} icon={<LinkOutlined />} variant="outlined" data-create>
            {(close) => <Add onClose={close} />}
          </DialogButton>
        )}
      </Section>
      <Section title={t.in} text={t.inText}>
        <LinkList direction="INCOMING" />
      </Section>
    </AccountPage>
  )
}

function LinkList({ direction }: { direction: 'OUTGOING' | 'INCOMING' }) {
  const t = useTexts(words)
  const may = useMay()
  const list = usePages('auth.links', { query: { direction } })
  const [question, setQuestion] = useState<{ kind: 'accept' | 'remove'; link: AccountLink }>()
  const close = () => setQuestion(undefined)
  const change = useAction('auth.switchLink', {
    refreshes: [],
    // The page starts again, so that nothing of the other account stays in it.
    onDone: accept,
  })
  const isIncoming = direction === 'INCOMING'
  if (list.error !== null) return <ErrorNotice error={list.error} onRetry={list.retry} />
  if (list.items === undefined) return <Loading />
  return (
    <>
      {list.items.length === 0 && (
        <Typography color="text.secondary" sx={{ mb: 1 }}>
          {t.none}
        </Typography>
      )}
      <List disablePadding>
        {list.items.map((link) => (
          <ListItem key={link.id} disableGutters sx={{ flexWrap: 'wrap', gap: 1 }}>
            <ListItemAvatar>
              <Portrait name={link.nickname} url={link.avatarUrl} />
            </ListItemAvatar>
            <ListItemText
              primary={link.nickname}
              secondary={link.status === 'PENDING' && (isIncoming ? t.pending : t.waiting)}
            />
            <Stack direction="row" spacing={1}>
              <Button
                color="error"
                aria-label={`${t.remove}: ${link.nickname}`}
                onClick={() => setQuestion({ kind: 'remove', link })}
              >
                {t.remove}
              </Button>
              {isIncoming && link.status === 'PENDING' && may('auth.acceptLink') && (
                <Button variant="contained" onClick={() => setQuestion({ kind: 'accept', link })}>
                  {t.accept}
                </Button>
              )}
              {!isIncoming && link.status === 'ACTIVE' && (
                <Button
                  variant="contained"
                  loading={change.isPending}
                  onClick={() => change.mutate({ params: { linkId: link.id } })}
                >
                  {t.change}
                </Button>
              )}
            </Stack>
          </ListItem>
        ))}
      </List>
      <MoreButton shown={list.items.length} total={list.total} onMore={list.more} isLoading={list.isLoading} />
      {question !== undefined && (
        <ActionDialog
          operation={question.kind === 'accept' ? 'auth.acceptLink' : 'auth.unlink'}
          input={{ params: { linkId: question.link.id } }}
          title={labelled(question.kind === 'accept' ? t.accept : t.remove, question.link.nickname)}
          text={
            question.kind === 'accept' ? t.acceptText(question.link.nickname) : t.removeText(question.link.nickname)
          }
          action={question.kind === 'accept' ? t.accept : t.remove}
          done={question.kind === 'accept' ? t.accepted : t.removed}
          onClose={close}
        />
      )}
    </>
  )
}

type Way = 'PASSWORD' | 'EMAIL_CODE' | 'PHONE_CODE'

function Add({ onClose }: { onClose: () => void }) {
  const t = useTexts(words)
  const { user } = useSession()
  const nothing = { linkedUserId: null as number | null, password: '', credential: '', code: '' }
  const form = useForm(
    'auth.link',
    { verifyType: 'PASSWORD' as Way, ...nothing },
    {
      input: ({ verifyType, linkedUserId, password, credential, code }) => ({
        body:
          verifyType === 'PASSWORD'
            ? { verifyType, linkedUserId: linkedUserId!, password }
            : { verifyType, credential, code },
      }),
      done: t.linked,
      onDone: onClose,
    },
  )
  const way = form.values.verifyType
  return (
    <FormDialog form={form} title={t.add} action={t.action} onClose={onClose} maxWidth="xs">
      <ToggleField value={way} onChange={(verifyType) => form.set({ verifyType, ...nothing })} choices={t.ways} />
      {way === 'PASSWORD' ? (
        <>
          <NumberField
            {...form.number('linkedUserId', { label: t.number })}
            slotProps={{ htmlInput: { inputMode: 'numeric' } }}
            autoComplete="off"
            required
          />
          <Typography variant="body2" color="text.secondary">
            {t.numberHint(user.id)}
          </Typography>
          <TextField {...form.text('password', { label: t.password })} type="password" autoComplete="off" required />
        </>
      ) : (
        <>
          <TextField
            {...form.text('credential', { label: way === 'EMAIL_CODE' ? t.email : t.phone })}
            slotProps={{ htmlInput: { inputMode: way === 'EMAIL_CODE' ? 'email' : 'tel' } }}
            autoComplete="off"
            required
          />
          <CodeField
            {...form.pick('code')}
            key={way}
            operation={way === 'EMAIL_CODE' ? 'auth.emailLinkCode' : 'auth.phoneLinkCode'}
            recipient={form.values.credential.trim()}
          />
        </>
      )}
    </FormDialog>
  )
}
