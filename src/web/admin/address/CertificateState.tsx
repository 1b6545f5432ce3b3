/** The certificate in force in plain sentences, and the authority of this server that devices trust. */

import { Alert, Box, Button, LinearProgress, Link as Anchor, Stack, Typography } from '@mui/material'

import { useAction } from '../../api/hooks.ts'
import type { ServerCertificate, ServerReach } from '../../api/types.ts'
import { dateTime, list } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Facts } from '../../ui/parts.tsx'
import { QrPicture } from '../../ui/QrPicture.tsx'
import { type Mode, trustUrl } from './names.ts'

const words = texts({
  en: {
    pending: 'The certificate is being ordered. This takes about a minute; the page shows how it goes.',
    progress: 'The certificate is being ordered',
    waits: 'There is no certificate yet, so the server does not answer by HTTPS.',
    without:
      'There is no certificate: connections in the network can be read along, and phones allow neither camera nor position.',
    valid: (until: string) => `The certificate is valid until ${until}.`,
    expiring: (until: string) => `The certificate ends on ${until}, and should have been renewed by now.`,
    expired: (until: string) => `The certificate has ended on ${until}: browsers warn of this server.`,
    failed: 'There is no certificate for all names, because the last attempt failed.',
    error: (at: string, sentence: string) => `${at}: ${sentence}`,
    again: (at: string) => `The server tries again on ${at}.`,
    staging: 'The authority issues certificates for tests, which no browser trusts.',
    names: 'Names',
    name: 'Name',
    issuer: 'Issued by',
    since: 'Valid from',
    renewal: 'Renewal',
    serial: 'Serial number',
    processes: 'Processes',
    process: (id: string, since: string) => `${id}: since ${since}`,
    silent: (id: string) => `${id}: does not serve a certificate`,
    renew: 'Renew now',
    retry: 'Try again now',
    renewed: 'A new certificate is under way.',
    authority: 'The authority of this server',
    fingerprint: 'Fingerprint',
    compare: 'Devices learn to trust the authority on this page. It shows the fingerprint too: both must be the same.',
    warns: 'The browser of a device warns of this page until the device trusts the authority: that is expected.',
    devices: (n: number) => (n === 1 ? '1 device trusts it' : `${n} devices trust it`),
    devicesName: 'Devices',
    code: 'QR code of the page with which devices learn to trust the server',
    replace: 'Replace the authority',
    question: 'Replace the authority?',
    consequences: (n: number) =>
      `Only needed if somebody else may have the key of this server. ${n === 1 ? '1 device has' : `${n} devices have`} trusted the present one: each of them shows a warning until it trusts the new one. This cannot be undone.`,
    replaced: 'The authority is replaced. Let each device trust the new one.',
  },
  zh: {
    pending: '正在申请证书，大约需要一分钟，本页会显示进度。',
    progress: '正在申请证书',
    waits: '还没有证书，服务器尚不能通过 HTTPS 访问。',
    without: '没有证书：网络中的通信可能被窃听，手机也不允许使用摄像头和定位。',
    valid: (until: string) => `证书有效期至 ${until}。`,
    expiring: (until: string) => `证书将于 ${until} 到期，本应已续期。`,
    expired: (until: string) => `证书已于 ${until} 到期，浏览器会发出警告。`,
    failed: '最近一次申请失败，因此没有包含所有域名的证书。',
    error: (at: string, sentence: string) => `${at}：${sentence}`,
    again: (at: string) => `服务器将于 ${at} 重试。`,
    staging: '该机构颁发的是测试证书，浏览器不信任。',
    names: '域名',
    name: '名称',
    issuer: '颁发者',
    since: '生效时间',
    renewal: '续期时间',
    serial: '序列号',
    processes: '进程',
    process: (id: string, since: string) => `${id}：自 ${since} 起使用`,
    silent: (id: string) => `${id}：没有使用证书`,
    renew: '立即续期',
    retry: '立即重试',
    renewed: '正在获取新证书。',
    authority: '此服务器的证书颁发机构',
    fingerprint: '指纹',
    compare: '各设备在此页面上信任该机构。页面上也显示指纹，两者必须一致。',
    warns: '在信任之前，浏览器会对此页面发出警告，这是正常的。',
    devices: (n: number) => `${n} 台设备信任`,
    devicesName: '设备',
    code: '信任页面的二维码',
    replace: '更换颁发机构',
    question: '更换颁发机构？',
    consequences: (n: number) =>
      `仅在他人可能获得此服务器的密钥时才需要。已有 ${n} 台设备信任现有机构，更换后每台设备在信任新机构之前都会显示警告。此操作无法撤销。`,
    replaced: '颁发机构已更换，请让每台设备信任新的机构。',
  },
})

interface Props {
  reach: ServerReach
  certificate: ServerCertificate
}

export function CertificateState({ reach, certificate }: Props) {
  const t = useTexts(words)
  const may = useMay()
  const { kind, status, names, issuer, serial, notBefore, renewAt, lastError, staging, authority } = certificate
  const renew = useAction('server.certificate.renew', { done: t.renewed })
  const isRenewable = (kind === 'ACME' || kind === 'LOCAL_CA') && status !== 'PENDING'
  return (
    <Stack spacing={2} sx={{ mb: 2 }}>
      <Sentence mode={reach.mode} certificate={certificate} />
      {lastError !== null && (
        <Alert severity="warning" sx={{ overflowWrap: 'anywhere' }}>
          {t.error(dateTime(lastError.at), lastError.sentence)}
          {kind === 'ACME' && renewAt !== null && ` ${t.again(dateTime(renewAt))}`}
        </Alert>
      )}
      {staging && <Alert severity="warning">{t.staging}</Alert>}
      {kind !== 'NONE' && (
        <Facts
          items={[
            [t.names, list(names)],
            [t.issuer, issuer],
            [t.since, notBefore !== null && dateTime(notBefore)],
            [t.renewal, lastError === null && renewAt !== null && dateTime(renewAt)],
            [t.serial, serial],
            [t.processes, processesIn(certificate, t)],
          ]}
        />
      )}
      {isRenewable && may('server.certificate.renew') && (
        <Box>
          <Button variant="outlined" loading={renew.isPending} onClick={() => renew.mutate({})}>
            {status === 'FAILED' ? t.retry : t.renew}
          </Button>
        </Box>
      )}
      {authority !== null && <Authority reach={reach} authority={authority} isLocked={certificate.lockedBy !== null} />}
    </Stack>
  )
}

/** Only where there are several. */
const processesIn = ({ processes }: ServerCertificate, t: typeof words.en) =>
  processes.length > 1 &&
  processes.map(({ id, since }) => (since === null ? t.silent(id) : t.process(id, dateTime(since)))).join('\n')

function Sentence({ mode, certificate: { kind, status, notAfter } }: { mode: Mode; certificate: ServerCertificate }) {
  const t = useTexts(words)
  const until = dateTime(notAfter)
  if (kind === 'NONE') {
    if (mode === 'PROXY') return null
    return <Alert severity="warning">{mode === 'DOMAIN' ? t.waits : t.without}</Alert>
  }
  if (status === 'PENDING')
    return (
      <Alert severity="info" slotProps={{ message: { sx: { flex: 1 } } }}>
        {t.pending}
        <LinearProgress aria-label={t.progress} sx={{ mt: 1 }} />
      </Alert>
    )
  if (status === 'FAILED') return <Alert severity="error">{t.failed}</Alert>
  if (status === 'EXPIRED') return <Alert severity="error">{t.expired(until)}</Alert>
  if (status === 'EXPIRING') return <Alert severity="warning">{t.expiring(until)}</Alert>
  return <Alert severity="success">{t.valid(until)}</Alert>
}

interface AuthorityProps {
  reach: ServerReach
  authority: NonNullable<ServerCertificate['authority']>
  /** It is replaced by a command then. */
  isLocked: boolean
}

function Authority({ reach, authority: { name, fingerprint, trustedDevices }, isLocked }: AuthorityProps) {
  const t = useTexts(words)
  const url = trustUrl(reach)
  return (
    <Box component="section" aria-label={t.authority}>
      <Typography variant="h3" sx={{ mb: 1 }}>
        {t.authority}
      </Typography>
      <Facts
        items={[
          [t.name, name],
          [t.fingerprint, <code key="fingerprint">{fingerprint}</code>],
          [t.devicesName, t.devices(trustedDevices)],
        ]}
      />
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2} sx={{ mt: 2, mb: 1, alignItems: { sm: 'center' } }}>
        <QrPicture content={url} alt={t.code} width={160} isBright sx={{ borderRadius: 1 }} />
        <Box sx={{ minWidth: 0 }}>
          <Typography variant="body2">
            {t.compare} {url.startsWith('https:') && t.warns}
          </Typography>
          <Anchor href={url} underline="always" target="_blank" rel="noreferrer" sx={{ overflowWrap: 'anywhere' }}>
            {url}
          </Anchor>
        </Box>
      </Stack>
      {!isLocked && (
        <ActionButton
          operation="server.certificate.update"
          input={{ body: { kind: 'LOCAL_CA', newAuthority: true } }}
          label={t.replace}
          title={t.question}
          text={t.consequences(trustedDevices)}
          done={t.replaced}
        />
      )}
    </Box>
  )
}
