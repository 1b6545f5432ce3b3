/** Finds a person by card, e-mail address or phone number, and asks them to become a contact. `?code=` in the address opens a card. */

import { QrCodeScanner, SearchOff } from '@mui/icons-material'
import { Button, Stack, TextField, Typography } from '@mui/material'
import { type FormEvent, useState } from 'react'
import { Link, useSearchParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { FoundCard, FoundPerson } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { EmptyState, ErrorNotice, Loading } from '../../ui/Answer.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { Named } from '../../ui/Portrait.tsx'
import { Row } from '../../ui/Rows.tsx'
import { ScanButton } from '../../ui/ScanDialog.tsx'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    ...common.en,
    title: 'Add contact',
    text: 'Code, e-mail address or phone number',
    textHelp: 'The whole address or number, or the 16 characters of a card. A link to a card works too.',
    find: 'Find',
    scan: 'Scan a card',
    none: 'Nobody found',
    noneText:
      'People are found only by an address or number that they have confirmed, and if they allow it. Ask for their card.',
    noCard: 'No card has this code. Check it, or ask the person for a new one: codes can be replaced.',
    askOf: (name: string) => `Add ${name}`,
    messageHelp: 'Say how you know each other.',
    remark: 'My name for this person',
    remarkHelp: 'Only you see it.',
    send: 'Send request',
    sent: 'The request was sent.',
    open: 'Open contact',
    answer: 'Answer the request',
    states: {
      NONE: '',
      CONTACT: 'Is your contact',
      REQUEST_SENT: 'You have asked already',
      REQUEST_RECEIVED: 'Has asked you',
      SELF: 'This is you',
    },
  },
  zh: {
    ...common.zh,
    title: '添加联系人',
    text: '名片码、邮箱或手机号',
    textHelp: '请输入完整的邮箱或手机号，或 16 位名片码。也可以粘贴名片链接。',
    find: '查找',
    scan: '扫描名片',
    none: '没有找到',
    noneText: '只能通过对方已验证且允许查找的邮箱或手机号找到对方。请向对方索取名片。',
    noCard: '没有名片使用此名片码。请检查是否有误，或向对方索取新的名片码（名片码可能已更换）。',
    askOf: (name: string) => `添加“${name}”`,
    messageHelp: '说明你们如何认识。',
    remark: '备注名',
    remarkHelp: '仅你可见。',
    send: '发送申请',
    sent: '申请已发送。',
    open: '打开联系人',
    answer: '答复申请',
    states: {
      NONE: '',
      CONTACT: '已是你的联系人',
      REQUEST_SENT: '你已发出申请',
      REQUEST_RECEIVED: '对方已向你发出申请',
      SELF: '这是你自己',
    },
  },
})

/** The code in a typed, pasted or scanned text: alone, as `user:CODE`, or in a link. Undefined for addresses and numbers. */
function cardCodeIn(text: string): string | undefined {
  const bare = /[?&]code=([^&#]+)/.exec(text)?.[1] ?? text.trim().replace(/^user:/i, '')
  const code = bare.replaceAll(/[\s-]/g, '').toUpperCase()
  return /^(?=.*[A-Z])[0-9A-Z]{16}$/.test(code) ? code : undefined
}

export default function AddContact() {
  const t = useTexts(words)
  const may = useMay()
  const [params, setParams] = useSearchParams()
  const asked = params.get('code') ?? params.get('q') ?? ''
  const [typed, setTyped] = useState(asked)
  const find = (text: string) => {
    setTyped(text)
    const code = cardCodeIn(text)
    if (text.trim() !== '') setParams(code === undefined ? { q: text.trim() } : { code })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    find(typed)
  }
  const code = cardCodeIn(asked)
  return (
    <Page title={t.title} back="/contacts" width="form">
      <Section>
        <form onSubmit={submit}>
          <Stack spacing={2}>
            <TextField
              required
              autoFocus={asked === ''}
              label={t.text}
              helperText={t.textHelp}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              slotProps={{ htmlInput: { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } }}
            />
            <Stack direction="row" useFlexGap sx={{ flexWrap: 'wrap', gap: 1, justifyContent: 'flex-end' }}>
              <ScanButton label={t.scan} icon={<QrCodeScanner />} variant="outlined" onCode={find} />
              <Button type="submit" variant="contained">
                {t.find}
              </Button>
            </Stack>
          </Stack>
        </form>
      </Section>
      {asked !== '' &&
        (code !== undefined ? (
          <ByCard key={code} code={code} />
        ) : (
          may('contacts.search') && <ByAddress key={asked} text={asked} />
        ))}
    </Page>
  )
}

function ByCard({ code }: { code: string }) {
  const t = useTexts(words)
  const { data, error, refetch } = useCall('contacts.byCard', { params: { code } })
  if (error !== null && data === undefined)
    return error.status === 404 ? (
      <EmptyState icon={SearchOff} title={t.none} text={t.noCard} />
    ) : (
      <ErrorNotice error={error} onRetry={() => void refetch()} />
    )
  if (data === undefined) return <Loading />
  return (
    <Section>
      <Found person={data} code={code} />
    </Section>
  )
}

function ByAddress({ text }: { text: string }) {
  const t = useTexts(words)
  const { data, error, refetch } = useCall('contacts.search', { query: { q: text } })
  if (error !== null && data === undefined) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading />
  if (data.items.length === 0) return <EmptyState icon={SearchOff} title={t.none} text={t.noneText} />
  return (
    <Section>
      {data.items.map((person) => (
        <Found key={person.userId} person={person} />
      ))}
    </Section>
  )
}

function Found({ person, code }: { person: FoundPerson | FoundCard; code?: string }) {
  const t = useTexts(words)
  const may = useMay()
  const { nickname, avatarUrl, relation, contactId } = person
  const signature = 'signature' in person ? person.signature : null
  const state = t.states[relation]
  return (
    <Row
      title={
        <Named
          name={nickname}
          url={avatarUrl}
          size={56}
          details={
            <>
              {signature}
              {state !== '' && <Typography variant="body2">{state}</Typography>}
            </>
          }
        />
      }
      actions={
        relation === 'CONTACT' && contactId !== null ? (
          <Button component={Link} to={`/contacts/${contactId}`} variant="outlined">
            {t.open}
          </Button>
        ) : relation === 'REQUEST_RECEIVED' ? (
          <Button component={Link} to="/contacts?tab=requests" variant="contained">
            {t.answer}
          </Button>
        ) : (
          relation === 'NONE' &&
          may('contacts.request') && (
            <DialogButton label={t.add} aria-label={t.askOf(nickname)}>
              {(close) => <AskDialog person={person} code={code} onClose={close} />}
            </DialogButton>
          )
        )
      }
    />
  )
}

interface AskDialogProps {
  person: FoundPerson | FoundCard
  code: string | undefined
  onClose: () => void
}

function AskDialog({ person: { userId, nickname }, code, onClose }: AskDialogProps) {
  const t = useTexts(words)
  const form = useForm(
    'contacts.request',
    { message: '', remark: '' },
    {
      input: (texts) => ({ body: { ...(code === undefined ? { userId } : { code }), ...texts } }),
      done: t.sent,
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={t.askOf(nickname)} action={t.send} maxWidth="xs" onClose={onClose}>
      <TextField {...form.text('message', { help: t.messageHelp })} />
      <TextField {...form.text('remark', { label: t.remark, help: t.remarkHelp })} />
    </FormDialog>
  )
}
