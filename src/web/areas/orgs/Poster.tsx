/** A sheet to print and hang up: name of the organization, QR code and code for joining. */

import { Print } from '@mui/icons-material'
import { Box, Button, Paper, Typography } from '@mui/material'
import { useParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { Organization } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { AddressWarning, usePrinting } from '../../ui/AddressWarning.tsx'
import { PrintedName } from '../../ui/Logo.tsx'
import { PageAnswer } from '../../ui/NotFound.tsx'
import { Page } from '../../ui/Page.tsx'
import { Portrait } from '../../ui/Portrait.tsx'
import { QrPicture } from '../../ui/QrPicture.tsx'

const words = texts({
  en: {
    ...common.en,
    title: (name: string) => `Poster: ${name}`,
    scan: 'Scan to join',
    or: 'or enter this code at',
    picture: (name: string) => `QR code to join ${name}`,
  },
  zh: {
    ...common.zh,
    title: (name: string) => `海报：${name}`,
    scan: '扫码加入',
    or: '或在以下地址输入组织码',
    picture: (name: string) => `加入${name}的二维码`,
  },
})

export default function Poster() {
  const id = Number(useParams().id)
  const query = useCall('orgs.get', { params: { id } })
  return <PageAnswer query={query}>{(org) => <Sheet org={org} />}</PageAnswer>
}

function Sheet({ org }: { org: Organization }) {
  const t = useTexts(words)
  const { data } = useCall('orgs.qrcode', { params: { id: org.id } })
  const { ask, question, report } = usePrinting()
  const contents = data === undefined ? [] : [data.publicUrl]
  const print = () =>
    ask(() => {
      report(contents)
      window.print()
    }, contents)
  return (
    <Page
      title={t.title(org.name)}
      back={`/orgs/${org.id}`}
      actions={
        <Button variant="contained" startIcon={<Print />} onClick={print}>
          {t.print}
        </Button>
      }
    >
      {question}
      <AddressWarning sx={{ mb: 2, displayPrint: 'none' }} />
      {/* Paper is white in both themes. */}
      <Paper
        variant="outlined"
        sx={{
          bgcolor: 'common.white',
          color: 'common.black',
          p: { xs: 3, sm: 6 },
          display: 'flex',
          flexDirection: 'column',
          alignItems: 'center',
          gap: 2.5,
          textAlign: 'center',
          '@media print': { border: 0, minHeight: '92vh', justifyContent: 'center' },
        }}
      >
        {org.avatarUrl !== null && <Portrait name={org.name} url={org.avatarUrl} size={96} isOrganization />}
        <Typography
          component="p"
          sx={{ fontSize: '2.25rem', fontWeight: 700, lineHeight: 1.2, overflowWrap: 'anywhere' }}
        >
          {org.name}
        </Typography>
        {org.description !== '' && (
          <Typography sx={{ maxWidth: 520, overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>
            {org.description}
          </Typography>
        )}
        <Typography variant="h2" component="p">
          {t.scan}
        </Typography>
        {/* The address of the page, so that cameras without the app open it in the browser. */}
        {data && <QrPicture content={data.publicUrl} alt={t.picture(org.name)} width="min(100%, 340px)" />}
        <Typography>{t.or}</Typography>
        {data && (
          <Typography sx={{ overflowWrap: 'anywhere' }}>{new URL('/console/join', data.publicUrl).href}</Typography>
        )}
        <Box sx={{ fontFamily: 'monospace', fontSize: '2.25rem', fontWeight: 700, letterSpacing: 4 }}>{org.code}</Box>
        <PrintedName />
      </Paper>
    </Page>
  )
}
