/** Where the certificate of the server comes from. */

import { Alert, Box, Link as Anchor, Stack, TextField } from '@mui/material'

import type { BodyOf, ServerCertificate, ServerReach } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { CheckField } from '../../ui/fields.tsx'
import { FileButton } from '../../ui/FileButton.tsx'
import { Form } from '../../ui/Form.tsx'
import { type Form as FormOf, useForm } from '../../ui/use-form.tsx'
import type { StepProps } from '../setup/step.tsx'
import { More } from './More.tsx'
import { hostOf, isStart, lockWords, type Mode, NAME_PATHS, namesIn } from './names.ts'
import { saving } from './saving.ts'

const words = texts({
  en: {
    source: 'Certificate',
    kinds: {
      NONE: 'None: without HTTPS',
      ACME: 'From a certificate authority, by itself',
      LOCAL_CA: 'From this server: each device trusts it once',
      FILES: 'From files',
    },
    ofProxy: 'None: the proxy has it',
    email: 'E-mail for the authority',
    emailHelp: 'Optional. It writes to you if something is wrong.',
    agree: 'I agree to the',
    terms: 'terms of Let’s Encrypt',
    otherTerms: 'I agree to the terms of the certificate authority.',
    names: 'Names',
    namesHelp: 'With commas between several.',
    challenge: 'Proof that the name is yours',
    challenges: { HTTP_01: 'By port 80 of this server', DNS_01: 'By a record in the DNS' },
    service: 'DNS service',
    services: { ACMEDNS: 'acme-dns', CLOUDFLARE: 'Cloudflare' },
    url: 'Address of acme-dns',
    username: 'Username',
    subdomain: 'Subdomain',
    stored: 'Stored. Leave empty to keep it.',
    token: 'API token',
    tokenHelp: 'It needs the right to edit the DNS of the zone, and no other.',
    zoneId: 'Zone ID',
    directory: 'Directory of another authority',
    directoryHelp: 'Empty: Let’s Encrypt. An address of the protocol ACME (RFC 8555).',
    means:
      'The server makes a certificate authority of its own, and each device has to trust it once. A person with the key of this server could then read the connections of these devices to the names and addresses of this network, and nothing else. When the server is gone, remove the authority from the devices.',
    further: 'Further names in the network',
    furtherHelp:
      'With commas between several. The names and addresses of this computer are in it without being typed. Empty: as it is now.',
    renew:
      'Replace the authority, so that it may issue certificates for these names. All devices must trust the new one.',
    chain: 'Certificate and chain (PEM)',
    key: 'Private key (PEM)',
    keyHelp: 'Without a password. It is stored sealed and never shown again.',
    keep: 'Stored. To replace it, choose both files again.',
    chooseChain: 'Choose the certificate file',
    chooseKey: 'Choose the key file',
    saved: 'The certificate is changed.',
  },
  zh: {
    source: '证书来源',
    kinds: {
      NONE: '无：不使用 HTTPS',
      ACME: '自动从证书颁发机构获取',
      LOCAL_CA: '由此服务器颁发：每台设备需信任一次',
      FILES: '来自文件',
    },
    ofProxy: '无：由代理提供',
    email: '提供给颁发机构的邮箱',
    emailHelp: '可选。出现问题时颁发机构会联系你。',
    agree: '我同意',
    terms: 'Let’s Encrypt 的条款',
    otherTerms: '我同意该证书颁发机构的条款。',
    names: '域名',
    namesHelp: '多个之间用逗号分隔。',
    challenge: '域名所有权的验证方式',
    challenges: { HTTP_01: '通过此服务器的 80 端口', DNS_01: '通过 DNS 记录' },
    service: 'DNS 服务',
    services: { ACMEDNS: 'acme-dns', CLOUDFLARE: 'Cloudflare' },
    url: 'acme-dns 的地址',
    username: '用户名',
    subdomain: '子域',
    stored: '已保存，留空则保持不变。',
    token: 'API 令牌',
    tokenHelp: '只需要编辑该区域 DNS 的权限。',
    zoneId: '区域 ID',
    directory: '其他颁发机构的目录',
    directoryHelp: '留空则使用 Let’s Encrypt。填写 ACME 协议（RFC 8555）的地址。',
    means:
      '服务器将创建自己的证书颁发机构，每台设备需信任一次。此后，持有此服务器密钥的人可以读取这些设备与本网络中名称和地址之间的通信，但不能读取其他通信。停用服务器后，请从各设备移除该机构。',
    further: '网络中的其他名称',
    furtherHelp: '多个之间用逗号分隔。本机的名称和地址已自动包含。留空则保持不变。',
    renew: '更换颁发机构，使其能为这些名称颁发证书。所有设备都须信任新的机构。',
    chain: '证书和证书链（PEM）',
    key: '私钥（PEM）',
    keyHelp: '不含密码。加密保存，不再显示。',
    keep: '已保存。如需更换，请重新选择两个文件。',
    chooseChain: '选择证书文件',
    chooseKey: '选择私钥文件',
    saved: '证书已更改。',
  },
})

type Kind = ServerCertificate['kind']
type Body = NonNullable<BodyOf<'server.certificate.update'>>

/** The kinds that suit a mode, the usual one first. */
const KINDS: Readonly<Record<Mode, readonly Kind[]>> = {
  LOCAL: ['NONE'],
  NETWORK: ['NONE', 'LOCAL_CA', 'FILES'],
  DOMAIN: ['ACME', 'FILES'],
  PROXY: ['NONE', 'ACME', 'FILES'],
}

const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory'
const TERMS = 'https://letsencrypt.org/repository/'
/** Characters of a file, more than each field takes. */
const MOST = 200_000

const valuesOf = (
  { mode, publicUrl }: ServerReach,
  { kind, names, email, challenge, directory, dns }: ServerCertificate,
) => ({
  kind: KINDS[mode].includes(kind) ? kind : KINDS[mode][0]!,
  names: kind === 'LOCAL_CA' || mode !== 'PROXY' ? '' : names.join(', ') || hostOf(publicUrl),
  email: email ?? '',
  agreedToTerms: kind === 'ACME',
  challenge: challenge ?? ('HTTP_01' as const),
  'dns.kind': dns?.kind === 'CLOUDFLARE' ? ('CLOUDFLARE' as const) : ('ACMEDNS' as const),
  'dns.url': dns?.url ?? '',
  'dns.username': dns?.username ?? '',
  'dns.password': '',
  'dns.subdomain': dns?.subdomain ?? '',
  'dns.token': '',
  'dns.zoneId': dns?.zoneId ?? '',
  directory: directory === null || directory === LETS_ENCRYPT ? '' : directory,
  chain: '',
  key: '',
  newAuthority: false,
})
export type Values = ReturnType<typeof valuesOf>
export const certificateKey = (reach: ServerReach, certificate: ServerCertificate): string =>
  JSON.stringify([reach.mode, valuesOf(reach, certificate)])

const filled = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))

function dnsOf(values: Values): Body['dns'] {
  const kind = values['dns.kind']
  if (kind === 'CLOUDFLARE') return { kind, ...filled({ token: values['dns.token'], zoneId: values['dns.zoneId'] }) }
  const { 'dns.url': url, 'dns.username': username, 'dns.password': password, 'dns.subdomain': subdomain } = values
  return { kind, ...filled({ url, username, password, subdomain }) }
}

/** Start values are left out, because the server refuses them. */
function bodyOf(values: Values, { mode }: ServerReach, sources: ServerCertificate['sources']) {
  const { kind, names, email, directory, challenge, chain, key, agreedToTerms, newAuthority } = values
  const all: Readonly<Record<Kind, () => Body>> = {
    NONE: () => ({ kind }),
    FILES: () => ({ kind, ...filled({ chain, key }) }),
    LOCAL_CA: () => ({
      kind,
      ...(names.trim() !== '' && { names: namesIn(names) }),
      ...(newAuthority && { newAuthority }),
    }),
    ACME: () => ({
      kind,
      ...(mode === 'PROXY' && { names: namesIn(names) }),
      email: email || null,
      directory: directory || null,
      challenge,
      ...(challenge === 'DNS_01' && { dns: dnsOf(values) }),
      ...(agreedToTerms && { agreedToTerms }),
    }),
  }
  const body = Object.entries(all[kind]()).filter(([field]) => !isStart(sources[field]))
  return Object.fromEntries(body) as Body
}

export interface CertificateFormProps {
  reach: ServerReach
  certificate: ServerCertificate
  /** In the setup. */
  step?: StepProps | undefined
}

export function CertificateForm({ reach, certificate, step }: CertificateFormProps) {
  const t = useTexts(words)
  const { locked } = useTexts(lockWords)
  const { save } = useTexts(common)
  const { sources, lockedBy } = certificate
  const isLocked = isStart(sources['kind'])
  const mayChange = useMay()('server.certificate.update')
  const form = useForm('server.certificate.update', () => valuesOf(reach, certificate), {
    done: t.saved,
    refreshes: ['server'],
    from: { version: certificate.version, values: (row: ServerCertificate) => valuesOf(reach, row) },
    paths: { names: NAME_PATHS, 'dns.kind': ['dns.kind', 'dns'] },
    input: (values) => ({ body: bodyOf(values, reach, sources) }),
  })
  const { kind, agreedToTerms } = form.values
  const { mode } = reach
  const kinds = mode === 'PROXY' ? { ...t.kinds, NONE: t.ofProxy } : t.kinds
  // Of a start value, only the contact and the DNS of ACME can be changed.
  const isShown = (!isLocked || kind === 'ACME') && mayChange
  return (
    <Form
      {...(isShown ? saving(form, save, step) : { form })}
      isDisabled={form.isChanged && kind === 'ACME' && !agreedToTerms && !isLocked}
    >
      {lockedBy !== null && <Alert severity="info">{locked(lockedBy)}</Alert>}
      {(KINDS[mode].length > 1 || isLocked) && (
        <TextField
          {...form.choice('kind', kinds, { label: t.source, only: [...new Set([...KINDS[mode], kind])] })}
          disabled={isLocked || !mayChange}
        />
      )}
      {isShown && kind === 'ACME' && <AcmeFields {...{ form, reach, certificate }} />}
      {isShown && kind === 'FILES' && <FileFields form={form} isStored={certificate.kind === 'FILES'} />}
      {isShown && kind === 'LOCAL_CA' && (
        <>
          {certificate.authority === null && <Alert severity="info">{t.means}</Alert>}
          <TextField {...form.text('names', { label: t.further, help: t.furtherHelp })} />
          {(form.problem('newAuthority') !== undefined || form.values.newAuthority) && (
            <CheckField {...form.check('newAuthority', { label: t.renew })} isBox />
          )}
        </>
      )}
    </Form>
  )
}

interface AcmeProps extends CertificateFormProps {
  form: FormOf<Values>
}

function AcmeFields({ form, reach, certificate: { sources, dns } }: AcmeProps) {
  const t = useTexts(words)
  const { locked } = useTexts(lockWords)
  const { directory, challenge } = form.values
  const isTold = (field: string) => isStart(sources[field])
  const rare = [...Object.keys(form.values).filter((name) => name.startsWith('dns.')), 'challenge', 'directory']
  const directoryField = form.text('directory', { label: t.directory, help: t.directoryHelp })
  return (
    <>
      {reach.mode === 'PROXY' && <TextField {...form.text('names', { label: t.names, help: t.namesHelp })} required />}
      <TextField
        {...form.text('email', {
          label: t.email,
          help: isTold('email') ? locked('TESSERA_ACME_EMAIL') : t.emailHelp,
        })}
        type="email"
        required={false}
        disabled={isTold('email')}
      />
      {!isStart(sources['kind']) && (
        <CheckField
          {...form.check('agreedToTerms')}
          isBox
          label={
            directory === '' && !isTold('directory') ? (
              <>
                {t.agree}{' '}
                <Anchor href={TERMS} underline="always" target="_blank" rel="noreferrer">
                  {t.terms}
                </Anchor>
              </>
            ) : (
              t.otherTerms
            )
          }
        />
      )}
      <More hasProblem={rare.some((name) => form.problem(name) !== undefined)}>
        <TextField
          {...form.choice('challenge', t.challenges, {
            label: t.challenge,
            help: isTold('challenge') ? locked('TESSERA_ACME_DNS_COMMAND') : undefined,
          })}
          disabled={isTold('challenge')}
        />
        {challenge === 'DNS_01' && !isTold('dns') && <DnsFields form={form} dns={dns} />}
        <TextField
          {...directoryField}
          helperText={isTold('directory') ? locked('TESSERA_ACME_DIRECTORY') : directoryField.helperText}
          // Another authority has other terms.
          onChange={({ target }) => form.set({ directory: target.value, agreedToTerms: false })}
          required={false}
          disabled={isTold('directory')}
        />
      </More>
    </>
  )
}

function DnsFields({ form, dns }: { form: FormOf<Values>; dns: ServerCertificate['dns'] }) {
  const t = useTexts(words)
  const isCloudflare = form.values['dns.kind'] === 'CLOUDFLARE'
  return (
    <>
      <TextField {...form.choice('dns.kind', t.services, { label: t.service })} />
      {isCloudflare ? (
        <>
          <TextField {...form.text('dns.zoneId', { label: t.zoneId })} />
          <TextField
            {...form.text('dns.token', { label: t.token, help: dns?.hasToken ? t.stored : t.tokenHelp })}
            type="password"
            autoComplete="new-password"
            required={!dns?.hasToken}
          />
        </>
      ) : (
        <>
          <TextField {...form.text('dns.url', { label: t.url })} placeholder="https://auth.acme-dns.io" />
          <TextField {...form.text('dns.username', { label: t.username })} autoComplete="off" />
          <TextField
            {...form.text('dns.password', { help: dns?.hasPassword ? t.stored : undefined })}
            type="password"
            autoComplete="new-password"
            required={!dns?.hasPassword}
          />
          <TextField {...form.text('dns.subdomain', { label: t.subdomain })} />
        </>
      )}
    </>
  )
}

function FileFields({ form, isStored }: { form: FormOf<Values>; isStored: boolean }) {
  const t = useTexts(words)
  const fields = [
    ['chain', t.chain, isStored ? t.keep : undefined, t.chooseChain],
    ['key', t.key, isStored ? t.keep : t.keyHelp, t.chooseKey],
  ] as const
  // Some other file may be too large for the memory. Longer texts than the limit of the field are refused.
  const read = async (name: 'chain' | 'key', file: File) => form.set({ [name]: await file.slice(0, MOST).text() })
  return fields.map(([name, label, help, choose]) => (
    <Stack key={name} spacing={1}>
      <TextField
        {...form.text(name, { label, help })}
        required={!isStored}
        multiline
        minRows={2}
        maxRows={6}
        slotProps={{ htmlInput: { spellCheck: false, autoComplete: 'off' } }}
      />
      <Box>
        <FileButton size="small" accept=".pem,.crt,.cer,.key" onFiles={([file]) => file && void read(name, file)}>
          {choose}
        </FileButton>
      </Box>
    </Stack>
  ))
}
