/** How people reach the server: on this computer, in a network, by a name of the internet, or behind a proxy. */

import {
  Alert,
  Box,
  FormControl,
  FormControlLabel,
  FormHelperText,
  FormLabel,
  Radio,
  RadioGroup,
  Stack,
  TextField,
  Typography,
} from '@mui/material'
import type { ChangeEvent } from 'react'

import { useRefresh } from '../../api/hooks.ts'
import type { BodyOf, ServerReach } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { CheckField, NumberField } from '../../ui/fields.tsx'
import { Form } from '../../ui/Form.tsx'
import { type Form as FormOf, useForm } from '../../ui/use-form.tsx'
import type { StepProps } from '../setup/step.tsx'
import { More } from './More.tsx'
import { lockWords, type Mode, NAME_PATHS, namesIn } from './names.ts'
import { saving } from './saving.ts'

const words = texts({
  en: {
    question: 'How do people reach this server?',
    modes: {
      LOCAL: 'This computer only',
      NETWORK: 'This network',
      DOMAIN: 'A name of the internet',
      PROXY: 'Behind a proxy',
    },
    about: {
      LOCAL: 'Only you, on the computer on which the server runs. Good for a first look.',
      NETWORK: 'Everybody in the same Wi-Fi or network, such as that of a club or an office.',
      DOMAIN:
        'Everybody, by a name such as qr.example.org that leads to this server. The server gets its certificate itself.',
      PROXY: 'Another program, such as nginx or Caddy, or a tunnel receives the requests and passes them on.',
    },
    names: 'Names',
    namesHelp: {
      NETWORK:
        'Name or address of this computer in the network, with commas between several. Empty: the server finds it.',
      DOMAIN: 'With commas between several. The first one is in printed codes.',
    },
    publicUrl: 'Public address',
    publicUrlHelp: 'As people open it, such as https://qr.example.org. Printed links and QR codes begin with it.',
    ownUrlHelp: 'Only if a router leads another port here. Empty: it follows from the name and the port.',
    httpsPort: 'Port for HTTPS',
    httpsHelp: { NETWORK: 'Empty: 8443. Used once there is a certificate.', DOMAIN: 'Empty: 443' },
    httpPort: { NETWORK: 'Port without HTTPS', DOMAIN: 'Port without HTTPS', PROXY: 'Port for the proxy' },
    httpHelp: {
      NETWORK: 'Empty: that of the start, and none with a certificate.',
      DOMAIN: 'Empty: 80, which leads to HTTPS and answers the certificate authority. 0: none',
      PROXY: 'Empty: that of the start',
    },
    host: 'Listen on the address',
    hostHelp: {
      NETWORK: 'Empty: all of this computer',
      DOMAIN: 'Empty: all of this computer',
      PROXY: 'Empty: that of the start',
    },
    loopback: 'This computer always reaches the server without HTTPS',
    loopbackHelp: 'Leave this on: it is the way back if a name or a certificate does not work.',
    saved: 'The address is changed.',
  },
  zh: {
    question: '用户如何访问此服务器？',
    modes: { LOCAL: '仅限本机', NETWORK: '本地网络', DOMAIN: '互联网域名', PROXY: '通过代理' },
    about: {
      LOCAL: '只有你能在运行服务器的计算机上访问，适合初次试用。',
      NETWORK: '同一 Wi-Fi 或网络中的所有人都能访问，例如社团或办公室。',
      DOMAIN: '所有人都能通过指向此服务器的域名（例如 qr.example.org）访问，服务器自行获取证书。',
      PROXY: '由其他程序（例如 nginx、Caddy 或隧道）接收请求并转发。',
    },
    names: '名称',
    namesHelp: {
      NETWORK: '本机在网络中的名称或地址，多个之间用逗号分隔。留空则自动查找。',
      DOMAIN: '多个之间用逗号分隔。打印的二维码使用第一个。',
    },
    publicUrl: '公开地址',
    publicUrlHelp: '用户打开的地址，例如 https://qr.example.org。打印的链接和二维码以它开头。',
    ownUrlHelp: '仅当路由器把其他端口转发到这里时填写。留空则由名称和端口决定。',
    httpsPort: 'HTTPS 端口',
    httpsHelp: { NETWORK: '留空为 8443，有证书后使用。', DOMAIN: '留空为 443' },
    httpPort: { NETWORK: '不使用 HTTPS 的端口', DOMAIN: '不使用 HTTPS 的端口', PROXY: '供代理使用的端口' },
    httpHelp: {
      NETWORK: '留空为启动时的端口；有证书时不开放。',
      DOMAIN: '留空为 80，用于跳转到 HTTPS 并应答证书颁发机构。0 表示不开放',
      PROXY: '留空为启动时的端口',
    },
    host: '监听地址',
    hostHelp: { NETWORK: '留空为本机所有地址', DOMAIN: '留空为本机所有地址', PROXY: '留空为启动时的地址' },
    loopback: '本机始终可不经 HTTPS 访问服务器',
    loopbackHelp: '请保持开启：域名或证书失效时可由此恢复。',
    saved: '地址已更改。',
  },
})

export const reachValues = ({ mode, names, publicUrl, httpsPort, httpPort, host, loopback, sources }: ServerReach) => ({
  mode,
  names: mode === 'LOCAL' ? '' : names.join(', '),
  publicUrl: mode === 'LOCAL' || (mode !== 'PROXY' && sources['publicUrl'] === 'DEFAULT') ? '' : publicUrl,
  httpsPort,
  httpPort,
  host: host ?? '',
  loopback,
})
type Values = ReturnType<typeof reachValues>

/** The fields that the form of a mode shows. */
function bodyOf({
  mode,
  names,
  publicUrl,
  host,
  httpPort,
  httpsPort,
  loopback,
}: Values): BodyOf<'server.reach.update'> {
  if (mode === 'LOCAL') return { mode }
  const place = { host: host || null, httpPort }
  if (mode === 'PROXY') return { mode, names: [], publicUrl: publicUrl || null, ...place }
  return { mode, names: namesIn(names), publicUrl: publicUrl || null, httpsPort, loopback, ...place }
}

export interface ReachFormProps {
  reach: ServerReach
  /** Gets the address as it is now. */
  onSaved?: (reach: ServerReach) => void
  /** In the setup. */
  step?: StepProps | undefined
}

export function ReachForm({ reach, onSaved, step }: ReachFormProps) {
  const t = useTexts(words)
  const { locked } = useTexts(lockWords)
  const { save } = useTexts(common)
  const refresh = useRefresh()
  const may = useMay()
  const isLocked = reach.lockedBy !== null || !may('server.reach.update')
  const form = useForm('server.reach.update', () => reachValues(reach), {
    done: t.saved,
    // The page may have been opened at an address that is closed now, where nothing can be read again.
    refreshes: [],
    onDone(changed) {
      onSaved?.(changed)
      void refresh('server')
    },
    from: { version: reach.version, values: reachValues },
    paths: { names: NAME_PATHS },
    input: (values) => ({ body: bodyOf(values) }),
  })
  return (
    <Form {...(isLocked ? { form } : saving(form, save, step))}>
      {reach.lockedBy !== null && <Alert severity="info">{locked(reach.lockedBy)}</Alert>}
      <Box component="fieldset" disabled={isLocked} sx={{ border: 0, m: 0, p: 0, minWidth: 0 }}>
        <Stack spacing={2}>
          <Modes form={form} before={reachValues(reach)} isLocked={isLocked} />
          <Fields form={form} isLocked={isLocked} />
        </Stack>
      </Box>
    </Form>
  )
}

interface ModesProps {
  form: FormOf<Values>
  before: Values
  isLocked: boolean
}

function Modes({ form, before, isLocked }: ModesProps) {
  const t = useTexts(words)
  const field = form.choice('mode', t.modes, { label: t.question })
  const choose = (mode: Mode) =>
    // Names and ports of one mode are seldom right for another.
    form.set(
      mode === before.mode ? before : { mode, names: '', publicUrl: '', httpsPort: null, httpPort: null, host: '' },
    )
  return (
    <FormControl error={field.error} disabled={isLocked}>
      <FormLabel id="reach-mode">{field.label}</FormLabel>
      <RadioGroup
        aria-labelledby="reach-mode"
        name="mode"
        value={field.value}
        onChange={(_: ChangeEvent, mode) => choose(mode as Mode)}
      >
        {(Object.keys(t.modes) as Mode[]).map((mode) => (
          <Box key={mode} sx={{ mt: 0.5 }}>
            <FormControlLabel
              value={mode}
              control={<Radio slotProps={{ input: { 'aria-describedby': `reach-${mode}` } }} />}
              label={t.modes[mode]}
            />
            <Typography id={`reach-${mode}`} variant="body2" color="text.secondary" sx={{ pl: 4 }}>
              {t.about[mode]}
            </Typography>
          </Box>
        ))}
      </RadioGroup>
      {field.error && <FormHelperText>{field.helperText}</FormHelperText>}
    </FormControl>
  )
}

/** The fields that the chosen mode needs. */
function Fields({ form, isLocked }: { form: FormOf<Values>; isLocked: boolean }) {
  const t = useTexts(words)
  const { mode } = form.values
  if (mode === 'LOCAL') return null
  const isProxy = mode === 'PROXY'
  const rare = ['host', 'httpPort', 'httpsPort', 'loopback', ...(isProxy ? [] : ['publicUrl'])]
  const publicUrl = form.text('publicUrl', { label: t.publicUrl, help: isProxy ? t.publicUrlHelp : t.ownUrlHelp })
  return (
    <>
      {isProxy ? (
        <TextField {...publicUrl} />
      ) : (
        <TextField
          {...form.text('names', { label: t.names, help: t.namesHelp[mode] })}
          required={mode === 'DOMAIN'}
          slotProps={{ htmlInput: { autoCapitalize: 'none', spellCheck: false } }}
        />
      )}
      <More hasProblem={rare.some((name) => form.problem(name) !== undefined)}>
        <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { sm: '1fr 1fr' } }}>
          {!isProxy && <NumberField {...form.number('httpsPort', { label: t.httpsPort, help: t.httpsHelp[mode] })} />}
          <NumberField {...form.number('httpPort', { label: t.httpPort[mode], help: t.httpHelp[mode] })} />
        </Box>
        <TextField {...form.text('host', { label: t.host, help: t.hostHelp[mode] })} required={false} />
        {!isProxy && (
          <>
            <TextField {...publicUrl} required={false} />
            <CheckField {...form.check('loopback', { label: t.loopback, help: t.loopbackHelp })} disabled={isLocked} />
          </>
        )}
      </More>
    </>
  )
}
