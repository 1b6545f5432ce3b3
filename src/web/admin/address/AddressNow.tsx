/** The address of the server in words. */

import { Alert, Box, Button, Link as Anchor, Stack, Typography } from '@mui/material'

import type { ServerCertificate, ServerReach } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Facts } from '../../ui/parts.tsx'
import { QrPicture } from '../../ui/QrPicture.tsx'

const words = texts({
  en: {
    code: 'QR code of the address',
    listens: 'The server listens on',
    all: 'all addresses',
    own: 'this computer only',
    door: (scheme: string, host: string, port: number) => `${scheme}, port ${port}: ${host}`,
    moved: (url: string) => `The server answers at ${url} from now on. You have to sign in there again.`,
    waits: (url: string) => `The server answers at ${url} as soon as it has a certificate: see below.`,
    goThere: 'Open it there',
    stays: 'From the computer of the server, this address works as well:',
  },
  zh: {
    code: '地址的二维码',
    listens: '服务器监听',
    all: '所有地址',
    own: '仅限本机',
    door: (scheme: string, host: string, port: number) => `${scheme}，端口 ${port}：${host}`,
    moved: (url: string) => `服务器现在的地址是 ${url}，需要在那里重新登录。`,
    waits: (url: string) => `获得证书后，服务器的地址是 ${url}，请见下方。`,
    goThere: '前往新地址',
    stays: '在服务器所在的计算机上，也可以使用：',
  },
})

/** The address in force, with its QR code, its ports and its problems. */
export function AddressNow({ reach: { publicUrl, listeners, warnings } }: { reach: ServerReach }) {
  const t = useTexts(words)
  const place = (host: string) => (isAll(host) ? t.all : isLoopback(host) ? t.own : host)
  return (
    <>
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2} sx={{ alignItems: { sm: 'center' }, mb: 2 }}>
        <QrPicture content={publicUrl} alt={t.code} width={140} isBright sx={{ borderRadius: 1 }} />
        <Box sx={{ minWidth: 0 }}>
          <Typography sx={{ fontWeight: 600, fontSize: '1.125rem', overflowWrap: 'anywhere', mb: 1 }}>
            {publicUrl}
          </Typography>
          <Facts
            items={[
              [t.listens, listeners.map(({ scheme, host, port }) => t.door(scheme, place(host), port)).join('\n')],
            ]}
          />
        </Box>
      </Stack>
      <Stack spacing={1}>
        {warnings.map(({ code, text }) => (
          <Alert key={code} severity="warning">
            {text}
          </Alert>
        ))}
      </Stack>
    </>
  )
}

const isAll = (host: string): boolean => host === '0.0.0.0' || host === '::'
const isLoopback = (host: string): boolean => /^(127\.|::1$|localhost$)/.test(host)

interface MovedProps {
  reach: ServerReach
  certificate: ServerCertificate
  /** The page to open there. */
  path?: string
}

/** Says where the server answers now, and leads there. */
export function Moved({ reach: { mode, publicUrl, listeners }, certificate, path = PATH }: MovedProps) {
  const t = useTexts(words)
  const isWaiting = publicUrl.startsWith('https:') && certificate.kind === 'NONE' && mode !== 'PROXY'
  const own = listeners.find(({ scheme, host }) => scheme === 'http' && isLoopback(host))
  const ownUrl = own && `http://${own.host.includes(':') ? `[${own.host}]` : own.host}:${own.port}`
  return (
    <Alert severity={isWaiting ? 'info' : 'success'} sx={{ mt: 2, overflowWrap: 'anywhere' }}>
      {isWaiting ? t.waits(publicUrl) : t.moved(publicUrl)}
      {ownUrl && (
        <Box sx={{ mt: 1 }}>
          {t.stays}{' '}
          <Anchor href={`${ownUrl}${path}`} underline="always" sx={{ overflowWrap: 'anywhere' }}>
            {ownUrl}
          </Anchor>
        </Box>
      )}
      {!isWaiting && (
        <Box sx={{ mt: 1 }}>
          <Button component="a" variant="outlined" href={`${publicUrl}${path}`}>
            {t.goThere}
          </Button>
        </Box>
      )}
    </Alert>
  )
}

const PATH = '/console/admin/address'
export const SETUP_PATH = '/console/admin/setup'
