/** The codes of an authenticator app, which are asked for at each sign-in, and the recovery codes that replace the app. */

import { Alert, Box, Button, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { saveAs } from '../../api/client.ts'
import { useAction, useCall } from '../../api/hooks.ts'
import type { NewTotp } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer } from '../../ui/Answer.tsx'
import { FormDialog, NoticeDialog } from '../../ui/dialogs.tsx'
import { Section } from '../../ui/parts.tsx'
import { Status } from '../../ui/Status.tsx'

const words = texts({
  en: {
    title: 'Second factor',
    text: 'With a second factor a stolen password is not enough to sign in: each sign-in also needs a code of an app on your phone.',
    on: (n: number) => `On. ${n} of 10 recovery codes are left.`,
    off: 'Off',
    enable: 'Set up',
    disable: 'Switch off',
    disabled: 'Second factor switched off.',
    disableText: 'From now on the password alone is enough to sign in.',
    renew: 'New recovery codes',
    renewText: 'The earlier recovery codes stop working.',
    scan: 'Scan this code with an authenticator app, such as Aegis, FreeOTP or the one of your password manager. Then type the code that it shows.',
    secret: 'Or type this key into the app:',
    picture: 'QR code for the authenticator app',
    open: 'Open the app on this device',
    code: 'Code of the app',
    codeOr: 'Code of the app, or a recovery code',
    confirm: 'Switch on',
    others: 'The sessions on your other devices end.',
    codes: 'Recovery codes',
    codesText:
      'Each of them replaces the app once, if you lose your phone. They are shown only now: print them or write them down.',
    save: 'Save as a file',
    understood: 'I have kept them',
    file: 'Recovery codes of Tessera',
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
    file: 'Tessera 恢复码',
  },
})

export function SecondFactor() {
  const t = useTexts(words)
  const state = useCall('auth.totp')
  const [enrolment, setEnrolment] = useState<NewTotp>()
  const [codes, setCodes] = useState<readonly string[]>()
  const [asking, setAsking] = useState<'disable' | 'renew'>()
  const start = useAction('auth.startTotp', { refreshes: [], onDone: setEnrolment })
  const show = ({ recoveryCodes }: { recoveryCodes: readonly string[] }) => {
    setEnrolment(undefined)
    setAsking(undefined)
    setCodes(recoveryCodes)
  }
  return (
    <Section title={t.title} text={t.text}>
      <Answer query={state}>
        {({ enabled, recoveryCodesLeft }) => (
          <Stack direction="row" spacing={2} useFlexGap sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
            <Status tone={enabled ? 'good' : 'neutral'} text={enabled ? t.on(recoveryCodesLeft) : t.off} />
            {enabled ? (
              <>
                <Button variant="outlined" onClick={() => setAsking('renew')}>
                  {t.renew}
                </Button>
                <Button color="error" onClick={() => setAsking('disable')}>
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
      {enrolment !== undefined && (
        <Enable enrolment={enrolment} onDone={show} onClose={() => setEnrolment(undefined)} />
      )}
      {asking !== undefined && <AskCode kind={asking} onCodes={show} onClose={() => setAsking(undefined)} />}
      {codes !== undefined && <Codes codes={codes} onClose={() => setCodes(undefined)} />}
    </Section>
  )
}

interface EnableProps {
  enrolment: NewTotp
  onDone: (answer: { recoveryCodes: readonly string[] }) => void
  onClose: () => void
}

function Enable({ enrolment: { secret, uri, imageUrl }, onDone, onClose }: EnableProps) {
  const t = useTexts(words)
  const [totp, setTotp] = useState('')
  const confirm = useAction('auth.confirmTotp', { refreshes: ['auth', 'sessions', 'devices'], quiet: true, onDone })
  return (
    <FormDialog
      isOpen
      title={t.title}
      action={t.confirm}
      isBusy={confirm.isPending}
      error={confirm.error}
      onClose={onClose}
      onSubmit={() => confirm.mutate({ body: { totp: totp.replaceAll(/\s/g, '') } })}
      maxWidth="xs"
    >
      <Typography>{t.scan}</Typography>
      <Box
        component="img"
        src={imageUrl}
        alt={t.picture}
        width={220}
        height={220}
        sx={{ alignSelf: 'center', bgcolor: 'common.white', borderRadius: 1 }}
      />
      <Button href={uri} sx={{ display: { sm: 'none' } }}>
        {t.open}
      </Button>
      <Box>
        <Typography variant="body2" color="text.secondary">
          {t.secret}
        </Typography>
        <Typography sx={{ fontFamily: 'monospace', overflowWrap: 'anywhere', userSelect: 'all' }}>
          {secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}
        </Typography>
      </Box>
      <TextField
        label={t.code}
        helperText={t.others}
        value={totp}
        onChange={({ target }) => setTotp(target.value)}
        autoComplete="one-time-code"
        slotProps={{ htmlInput: { inputMode: 'numeric' } }}
        required
        autoFocus
      />
    </FormDialog>
  )
}

interface AskCodeProps {
  kind: 'disable' | 'renew'
  onCodes: EnableProps['onDone']
  onClose: () => void
}

/** Both changes need a code, since a stolen session must not be enough. */
function AskCode({ kind, onCodes, onClose }: AskCodeProps) {
  const t = useTexts(words)
  const [totp, setTotp] = useState('')
  const refreshes = ['auth']
  const disable = useAction('auth.disableTotp', { refreshes, done: t.disabled, quiet: true, onDone: onClose })
  const renew = useAction('auth.replaceRecoveryCodes', { refreshes, quiet: true, onDone: onCodes })
  const action = kind === 'disable' ? disable : renew
  return (
    <FormDialog
      isOpen
      title={kind === 'disable' ? t.disable : t.renew}
      action={kind === 'disable' ? t.disable : t.renew}
      isBusy={action.isPending}
      error={action.error}
      onClose={onClose}
      onSubmit={() => {
        const body = { totp: totp.replaceAll(/\s/g, '') }
        if (kind === 'disable') disable.mutate({ body })
        else renew.mutate({ body })
      }}
      maxWidth="xs"
    >
      <Typography>{kind === 'disable' ? t.disableText : t.renewText}</Typography>
      <TextField
        label={t.codeOr}
        value={totp}
        onChange={({ target }) => setTotp(target.value)}
        autoComplete="one-time-code"
        required
        autoFocus
      />
    </FormDialog>
  )
}

function Codes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const t = useTexts(words)
  return (
    <NoticeDialog title={t.codes} action={t.understood} isOnlyOnce onClose={onClose}>
      <Alert severity="warning">{t.codesText}</Alert>
      <Box
        component="ul"
        sx={{ columnCount: 2, m: 0, pl: 3, fontFamily: 'monospace', fontSize: '1.05rem', lineHeight: 1.9 }}
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
