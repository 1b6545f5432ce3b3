/** The mail server: its values, and a test mail whose steps say what is wrong. */

import { Alert, Box, Button, Stack, TextField, Typography } from '@mui/material'
import { type FormEvent, useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import type { ServerMail, ServerMailTestResult } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { dateTime } from '../../i18n/format.ts'
import { mailWords } from '../../i18n/mail-words.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { NumberField } from '../../ui/fields.tsx'
import { Form } from '../../ui/Form.tsx'
import { Section } from '../../ui/parts.tsx'
import { useForm } from '../../ui/use-form.tsx'
import type { StepProps } from '../setup/step.tsx'
import { presetOf } from './presets.ts'

const words = texts({
  en: {
    title: 'Mail server',
    locked: (name: string) => `Set by ${name} at the start of the server, and can only be changed there.`,
    saved: 'The mail server is changed.',
    kind: 'Mails',
    kinds: { NONE: 'Are not sent', SMTP: 'Are sent by a mail server' },
    from: 'Sender',
    fromHelp: 'Name <address>, or an address. Known providers are filled in from it.',
    host: 'Host',
    port: 'Port',
    security: 'Encryption',
    securities: { TLS: 'TLS', STARTTLS: 'STARTTLS', NONE: 'None (private network only)' },
    user: 'User',
    stored: 'A password is stored. Leave empty to keep it.',
    passwordHelp: 'Many providers want a password made for applications here.',
    replyTo: 'Answers go to',
    replyToHelp: 'Empty: the e-mail of the contact.',
    caPem: 'Certificate authority (PEM)',
    caPemHelp: 'Only if the mail server has a certificate of your own authority.',
    sent: (at: string) => `The last mail was sent on ${at}.`,
    failed: (error: string) => `The last attempt failed: ${error}`,
    test: 'Send a test mail',
    testTo: 'Test mail to',
    accepted: 'The mail server took the mail. Look into the mailbox, also among the junk mail.',
    refused: 'The mail was not sent.',
    steps: {
      DNS: 'Find the host',
      CONNECT: 'Connect',
      TLS: 'Encrypt',
      LOGIN: 'Sign in',
      FROM: 'Sender',
      TO: 'Recipient',
      DATA: 'Mail',
    },
  },
  zh: {
    title: '邮件服务器',
    locked: (name: string) => `由启动服务器时的 ${name} 设定，只能在该处更改。`,
    saved: '邮件服务器已更新。',
    kind: '邮件',
    kinds: { NONE: '不发送', SMTP: '通过邮件服务器发送' },
    from: '发件人',
    fromHelp: '“名称 <邮箱地址>”，或仅邮箱地址。常见服务商会自动填写。',
    host: '主机',
    port: '端口',
    security: '加密',
    securities: { TLS: 'TLS', STARTTLS: 'STARTTLS', NONE: '无（仅限内网）' },
    user: '用户名',
    stored: '已保存密码，留空则保持不变。',
    passwordHelp: '许多服务商要求使用专用的授权码。',
    replyTo: '回复地址',
    replyToHelp: '留空则使用联系邮箱。',
    caPem: '证书颁发机构（PEM）',
    caPemHelp: '仅当邮件服务器使用自建机构的证书时填写。',
    sent: (at: string) => `最近一封邮件发送于 ${at}。`,
    failed: (error: string) => `最近一次发送失败：${error}`,
    test: '发送测试邮件',
    testTo: '测试邮件收件人',
    accepted: '邮件服务器已接收邮件。请查看收件箱和垃圾邮件。',
    refused: '邮件未发送。',
    steps: { DNS: '查找主机', CONNECT: '连接', TLS: '加密', LOGIN: '登录', FROM: '发件人', TO: '收件人', DATA: '邮件' },
  },
})

const valuesOf = (mail: ServerMail) => ({
  kind: mail.kind,
  from: mail.from ?? '',
  host: mail.host ?? '',
  port: mail.port,
  security: mail.security ?? ('TLS' as const),
  user: mail.user ?? '',
  password: '',
  replyTo: mail.replyTo ?? '',
  caPem: mail.caPem ?? '',
})
type Values = ReturnType<typeof valuesOf>

/** An empty password keeps the stored one, and without a user there is none. */
const bodyOf = ({ password, ...values }: Values) =>
  values.kind === 'NONE'
    ? { kind: 'NONE' as const }
    : { ...values, ...(values.user === '' ? { password: null } : password !== '' && { password }) }

/** `step`: in the setup. */
export function MailSection({ mail, step }: { mail: ServerMail; step?: StepProps }) {
  const t = useTexts(words)
  const { without } = useTexts(mailWords)
  const { save } = useTexts(common)
  const isLocked = !['DEFAULT', 'DATABASE'].includes(mail.sources['kind']!)
  const form = useForm('server.mail.update', () => valuesOf(mail), {
    ...(step === undefined ? { done: t.saved } : { onDone: step.finish }),
    refreshes: ['server'],
    from: { version: mail.version, values: valuesOf },
    input: (values) => ({ body: bodyOf(values) }),
  })
  const { values } = form
  const fillIn = () => {
    const preset = values.host === '' ? presetOf(values.from) : undefined
    if (preset !== undefined) form.set({ ...preset, user: values.user || preset.user })
  }
  const submit = (event?: FormEvent) => {
    if (step === undefined || (form.isChanged && !isLocked)) return form.submit(event)
    event?.preventDefault()
    if (mail.kind === 'NONE') step.skip()
    else step.finish()
  }
  const buttons =
    step === undefined
      ? { ...(!isLocked && { action: save }), needsChange: true }
      : { action: step.action, other: step.other }
  return (
    <Section title={t.title} text={without}>
      {isLocked && <Alert severity="info">{t.locked('TESSERA_SMTP_URL')}</Alert>}
      <Form form={{ ...form, submit, isBusy: form.isBusy || step?.isBusy === true }} {...buttons}>
        <Box component="fieldset" disabled={isLocked} sx={{ border: 0, m: 0, p: 0, minWidth: 0 }}>
          <Stack spacing={2}>
            <TextField {...form.choice('kind', t.kinds, { label: t.kind })} disabled={isLocked} />
            {values.kind === 'SMTP' && (
              <>
                <TextField {...form.text('from', { label: t.from, help: t.fromHelp })} onBlur={fillIn} />
                <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { sm: '2fr 1fr 1fr' } }}>
                  <TextField {...form.text('host', { label: t.host })} />
                  <TextField {...form.choice('security', t.securities, { label: t.security })} disabled={isLocked} />
                  <NumberField {...form.number('port', { label: t.port })} />
                </Box>
                <TextField {...form.text('user', { label: t.user })} autoComplete="off" />
                <TextField
                  {...form.text('password', { help: mail.hasPassword ? t.stored : t.passwordHelp })}
                  type="password"
                  autoComplete="new-password"
                />
                <TextField {...form.text('replyTo', { label: t.replyTo, help: t.replyToHelp })} />
                <TextField {...form.text('caPem', { label: t.caPem, help: t.caPemHelp })} multiline maxRows={6} />
              </>
            )}
          </Stack>
        </Box>
      </Form>
      {mail.status.lastError !== null && <Alert severity="warning">{t.failed(mail.status.lastError)}</Alert>}
      {mail.status.lastSentAt !== null && (
        <Typography variant="body2" color="text.secondary">
          {t.sent(dateTime(mail.status.lastSentAt))}
        </Typography>
      )}
      {values.kind === 'SMTP' && <Trial mail={isLocked ? undefined : bodyOf(values)} />}
    </Section>
  )
}

function Trial({ mail }: { mail: ReturnType<typeof bodyOf> | undefined }) {
  const t = useTexts(words)
  const [to, setTo] = useState('')
  const { mutate, data, error, isPending } = useAction('server.mail.test', { quiet: true })
  return (
    <Stack spacing={1.5} sx={{ mt: 1 }}>
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={1}>
        <TextField
          label={t.testTo}
          type="email"
          value={to}
          onChange={({ target }) => setTo(target.value)}
          sx={{ flex: 1 }}
        />
        <Button
          variant="outlined"
          loading={isPending}
          disabled={to === ''}
          onClick={() => mutate({ body: { to, ...(mail !== undefined && { mail }) } })}
        >
          {t.test}
        </Button>
      </Stack>
      {error !== null && <ErrorNotice error={error} />}
      {data !== undefined && !isPending && <Steps result={data} />}
    </Stack>
  )
}

function Steps({ result: { accepted, steps } }: { result: ServerMailTestResult }) {
  const t = useTexts(words)
  const last = steps.at(-1)
  return (
    <Alert severity={accepted ? 'success' : 'error'}>
      {accepted ? t.accepted : `${t.refused} ${last?.advice ?? ''}`}
      <Box component="ol" sx={{ m: 0, mt: 1, pl: 2.5, overflowWrap: 'anywhere' }}>
        {steps.map(({ step, ok, answer }) => (
          <li key={step}>
            {ok ? '✓' : '✗'} {t.steps[step]}
            {answer !== '' && `: ${answer}`}
          </li>
        ))}
      </Box>
    </Alert>
  )
}
