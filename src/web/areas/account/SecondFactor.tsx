/** The codes of an authenticator app, which are asked for at each sign-in, and the recovery codes that replace the app. */

import { Alert, Box, Button, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { saveAs } from '../../api/client.ts'
import { useAction, useCall } from '../../api/hooks.ts'
import type { NewTotp } from '../../api/types.ts'
import { site } from '../../browser/site.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer } from '../../ui/Answer.tsx'
import { FormDialog, NoticeDialog } from '../../ui/dialogs.tsx'
import { Section } from '../../ui/parts.tsx'
import { Status } from '../../ui/Status.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { useIsPhone } from '../../ui/use-is-phone.ts'

const words = texts({
  en: {
    title: 'Two-factor sign-in',
    text: 'With it, a stolen password is not enough: each sign-in also needs a code from an app on your phone.',
    on: (n: number) => `On. ${n} of 10 recovery codes are left.`,
    off: 'Off',
    enable: 'Set up',
    disable: 'Switch off',
    disabled: 'Two-factor sign-in switched off.',
    disableText: 'From now on the password alone is enough to sign in.',
    renew: 'New recovery codes',
    renewText: 'The earlier recovery codes stop working.',
    scan: 'Scan this code with an authenticator app, such as Aegis, FreeOTP or your password manager. Then type the code that it shows.',
    secret: 'Or type this key into the app:',
    picture: 'QR code for the authenticator app',
    open: 'Open the app on this device',
    code: 'Code from the app',
    codeOr: 'Code from the app, or a recovery code',
    confirm: 'Switch on',
    others: 'The sessions on your other devices end.',
    codes: 'Recovery codes',
    codesText:
      'Each of them replaces the app once, if you lose your phone. They are shown only now: print them or write them down.',
    save: 'Save as a file',
    understood: 'I have saved them',
    file: `Recovery codes of ${site.name}`,
  },
  zh: {
    title: '两步验证',
    text: '开启后，仅有密码无法登录：每次登录还需要手机应用中的验证码。',
    on: (n: number) => `已开启，恢复码剩余 ${n} 个（共 10 个）。`,
    off: '未开启',
    enable: '设置',
    disable: '关闭',
    disabled: '两步验证已关闭。',
    disableText: '关闭后仅凭密码即可登录。',
    renew: '更换恢复码',
    renewText: '原有的恢复码将失效。',
    scan: '请用身份验证器应用（如 Aegis、FreeOTP 或密码管理器）扫描此码，然后输入应用显示的验证码。',
    secret: '或在应用中手动输入此密钥：',
    picture: '身份验证器二维码',
    open: '在本机打开应用',
    code: '应用中的验证码',
    codeOr: '应用中的验证码或恢复码',
    confirm: '开启',
    others: '其他设备上的会话将结束。',
    codes: '恢复码',
    codesText: '丢失手机时，每个恢复码可代替应用使用一次。恢复码只显示这一次，请打印或抄写保存。',
    save: '保存为文件',
    understood: '我已保存',
    file: `${site.name} 恢复码`,
  },
})

/** The dialog that is open. Recovery codes are shown once, when they were made. */
type Step =
  { kind: 'enable'; enrolment: NewTotp } | { kind: 'disable' | 'renew' } | { kind: 'codes'; codes: readonly string[] }

export function SecondFactor() {
  const t = useTexts(words)
  const state = useCall('auth.totp')
  const [step, setStep] = useState<Step>()
  const start = useAction('auth.startTotp', {
    refreshes: [],
    onDone: (enrolment) => setStep({ kind: 'enable', enrolment }),
  })
  const show = (codes: readonly string[]) => setStep({ kind: 'codes', codes })
  const close = () => setStep(undefined)
  return (
    <Section title={t.title} text={t.text}>
      <Answer query={state}>
        {({ enabled, recoveryCodesLeft }) => (
          <Stack direction="row" spacing={2} useFlexGap sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
            <Status tone={enabled ? 'good' : 'neutral'} text={enabled ? t.on(recoveryCodesLeft) : t.off} />
            {enabled ? (
              <>
                <Button variant="outlined" onClick={() => setStep({ kind: 'renew' })}>
                  {t.renew}
                </Button>
                <Button color="error" onClick={() => setStep({ kind: 'disable' })}>
                  {t.disable}
                </Button>
              </>
            ) : (
              <Button variant="outlined" loading={start.isPending} onClick={() => start.mutate()}>
                {t.enable}
              </Button>
            )}
          </Stack>
        )}
      </Answer>
      {step?.kind === 'enable' && <Enable enrolment={step.enrolment} onCodes={show} onClose={close} />}
      {step?.kind === 'disable' && <Disable onClose={close} />}
      {step?.kind === 'renew' && <Renew onCodes={show} onClose={close} />}
      {step?.kind === 'codes' && <Codes codes={step.codes} onClose={close} />}
    </Section>
  )
}

interface CodesProps {
  /** Takes the new recovery codes. */
  onCodes: (codes: readonly string[]) => void
  onClose: () => void
}

function Enable({ enrolment: { secret, uri, imageUrl }, onCodes, onClose }: CodesProps & { enrolment: NewTotp }) {
  const t = useTexts(words)
  // Not hidden by a style: the dialog would move the focus to it, and lose it.
  const isPhone = useIsPhone()
  const form = useForm(
    'auth.confirmTotp',
    { totp: '' },
    { refreshes: ['auth', 'sessions', 'devices'], onDone: ({ recoveryCodes }) => onCodes(recoveryCodes) },
  )
  return (
    <FormDialog form={form} title={t.title} action={t.confirm} onClose={onClose} maxWidth="xs">
      <Typography>{t.scan}</Typography>
      <Box
        component="img"
        src={imageUrl}
        alt={t.picture}
        width={220}
        height={220}
        sx={{ alignSelf: 'center', bgcolor: 'common.white', borderRadius: 1 }}
      />
      {isPhone && <Button href={uri}>{t.open}</Button>}
      <Box>
        <Typography variant="body2" color="text.secondary">
          {t.secret}
        </Typography>
        <Typography sx={{ fontFamily: 'monospace', overflowWrap: 'anywhere', userSelect: 'all' }}>
          {secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}
        </Typography>
      </Box>
      <TextField
        {...form.text('totp', { label: t.code, help: t.others })}
        autoComplete="one-time-code"
        slotProps={{ htmlInput: { inputMode: 'numeric' } }}
        autoFocus
      />
    </FormDialog>
  )
}

// Both changes need a code, since a stolen session must not be enough.

function Disable({ onClose }: { onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm('auth.disableTotp', { totp: '' }, { done: t.disabled, onDone: onClose })
  return (
    <FormDialog form={form} title={t.disable} action={t.disable} onClose={onClose} maxWidth="xs">
      <Typography>{t.disableText}</Typography>
      <TextField {...form.text('totp', { label: t.codeOr })} autoComplete="one-time-code" autoFocus />
    </FormDialog>
  )
}

function Renew({ onCodes, onClose }: CodesProps) {
  const t = useTexts(words)
  const form = useForm(
    'auth.replaceRecoveryCodes',
    { totp: '' },
    { onDone: ({ recoveryCodes }) => onCodes(recoveryCodes) },
  )
  return (
    <FormDialog form={form} title={t.renew} action={t.renew} onClose={onClose} maxWidth="xs">
      <Typography>{t.renewText}</Typography>
      <TextField {...form.text('totp', { label: t.codeOr })} autoComplete="one-time-code" autoFocus />
    </FormDialog>
  )
}

export function Codes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const t = useTexts(words)
  return (
    <NoticeDialog title={t.codes} action={t.understood} isOnlyOnce onClose={onClose}>
      <Alert severity="warning">{t.codesText}</Alert>
      <Box
        component="ul"
        sx={{
          columnCount: 2,
          m: 0,
          p: 0,
          listStyle: 'none',
          textAlign: 'center',
          fontFamily: 'monospace',
          fontSize: '1.05rem',
          lineHeight: 1.9,
        }}
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </Box>
      <Button onClick={() => saveAs(new Blob([`${codes.join('\n')}\n`], { type: 'text/plain' }), `${t.file}.txt`)}>
        {t.save}
      </Button>
    </NoticeDialog>
  )
}
