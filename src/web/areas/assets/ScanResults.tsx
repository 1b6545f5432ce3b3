/** The results of the scans of a stock-taking: answers, scans that wait for a connection, and those that the server did not take. */

import { CheckCircle, CloudOff, HelpOutlined, ReportProblem, WrongLocation } from '@mui/icons-material'
import { Alert, AlertTitle, Box, Button, Stack, Typography } from '@mui/material'
import { Link } from 'react-router'

import { ApiError } from '../../api/errors.ts'
import type { InventoryScan as Scan } from '../../api/types.ts'
import { usePersistence } from '../../browser/persistence.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { waitingWords } from '../../ui/waiting-words.ts'
import { refusalOf, type ScanOutbox } from './scan-outbox.ts'

const words = texts({
  en: {
    ...common.en,
    waitingText: 'Kept on this device, and sent as soon as there is a connection.',
    refused: (n: number) => (n === 1 ? 'The server did not take 1 scan:' : `The server did not take ${n} scans:`),
    sendAgain: 'Send again',
    discard: 'Discard',
    found: (name: string) => `${name}: found`,
    again: (name: string) => `${name} was already scanned`,
    misplaced: (name: string) => `${name} belongs to another place`,
    unexpected: (name: string) => `${name} was not expected here`,
    unknown: (code: string) => `“${code}” is no asset of this register`,
    unknownText: 'No asset has this number or serial number. Nothing was recorded.',
    unknownLink: 'This code is not the label of one of these assets. Nothing was recorded.',
    openLink: 'Open the link',
    find: 'Search the assets',
    register: 'Add asset',
  },
  zh: {
    ...common.zh,
    waitingText: '已保存在本机，恢复网络后自动上传。',
    refused: (n: number) => `服务器未接受 ${n} 次扫描：`,
    sendAgain: '重新上传',
    discard: '丢弃',
    found: (name: string) => `${name}：已找到`,
    again: (name: string) => `${name} 已扫描过`,
    misplaced: (name: string) => `${name} 的登记位置不在此处`,
    unexpected: (name: string) => `${name} 不在盘点范围内`,
    unknown: (code: string) => `台账中没有“${code}”`,
    unknownText: '没有资产使用此编号或序列号，本次扫描未记录。',
    unknownLink: '这不是本台账中资产的标签，本次扫描未记录。',
    openLink: '打开链接',
    find: '搜索资产',
    register: '登记资产',
  },
})

/** Codes of waiting scans that are named, the newest ones. */
const NAMED = 10

export function ScanResults({ outbox }: { outbox: ScanOutbox }) {
  const t = useTexts(words)
  const { answered, waiting, isLost, refused, sendRefused, discard } = outbox
  const shared = useTexts(waitingWords)
  const isPersistent = usePersistence()
  return (
    <Stack spacing={1} aria-live="assertive">
      {isLost && waiting.length > 0 && (
        <Alert severity="info" icon={<CloudOff />} sx={{ overflowWrap: 'anywhere' }}>
          <AlertTitle>{shared.waiting(waiting.length)}</AlertTitle>
          {t.waitingText} {isPersistent === false && shared.mayGo}
          <Typography variant="body2">
            {waiting
              .slice(-NAMED)
              .toReversed()
              .map(({ body: { body } }) => body.code)
              .join(', ')}
            {waiting.length > NAMED && ' …'}
          </Typography>
        </Alert>
      )}
      {answered.map(({ key, code, scan, error }) => (
        <Box key={key}>{scan === undefined ? <Refused code={code} error={error} /> : <Result scan={scan} />}</Box>
      ))}
      {refused.length > 0 && (
        <Stack direction="row" spacing={1} sx={{ alignItems: 'center', justifyContent: 'space-between' }}>
          <Typography>{t.refused(refused.length)}</Typography>
          <Button onClick={sendRefused}>{t.sendAgain}</Button>
        </Stack>
      )}
      {refused.toReversed().map((entry) => (
        <Refused
          key={entry.id}
          code={entry.body.body.code}
          error={refusalOf(entry)}
          onDiscard={() => discard(entry.id!)}
        />
      ))}
    </Stack>
  )
}

/** A scan that was not recorded. */
function Refused({ code, error, onDiscard }: { code: string; error: unknown; onDiscard?: () => void }) {
  const t = useTexts(words)
  const may = useMay()
  const discard = onDiscard && (
    <Button color="inherit" onClick={onDiscard} aria-label={`${t.discard} ${code}`}>
      {t.discard}
    </Button>
  )
  if (!(error instanceof ApiError && error.status === 404))
    return (
      <>
        <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
          {code}
        </Typography>
        <ErrorNotice error={error} />
        {discard}
      </>
    )
  const isLink = /^https?:\/\/\S+$/i.test(code)
  return (
    <Alert severity="warning" icon={<HelpOutlined />} sx={{ '& .MuiAlert-message': { minWidth: 0, flex: 1 } }}>
      <AlertTitle sx={{ overflowWrap: 'anywhere' }}>{t.unknown(code)}</AlertTitle>
      {isLink ? t.unknownLink : t.unknownText}
      <Stack direction="row" useFlexGap sx={{ flexWrap: 'wrap', mx: -1 }}>
        {isLink ? (
          <Button color="inherit" href={code} target="_blank" rel="noopener noreferrer">
            {t.openLink}
          </Button>
        ) : (
          <>
            <Button color="inherit" component={Link} to={`/assets?keyword=${encodeURIComponent(code)}`}>
              {t.find}
            </Button>
            {may('assets.create') && (
              <Button color="inherit" component={Link} to={`/assets/new?assetNo=${encodeURIComponent(code)}`}>
                {t.register}
              </Button>
            )}
          </>
        )}
        {discard}
      </Stack>
    </Alert>
  )
}

function Result({ scan: { result, repeated, asset } }: { scan: Scan }) {
  const t = useTexts(words)
  const name = `${asset.name} (${asset.assetNo})`
  const open = (
    <Button color="inherit" component={Link} to={`/assets/${asset.id}`} aria-label={`${t.open} ${name}`}>
      {t.open}
    </Button>
  )
  if (result === 'MISPLACED')
    return (
      <Alert severity="warning" icon={<WrongLocation />} action={open}>
        {t.misplaced(name)}
      </Alert>
    )
  if (result === 'UNEXPECTED')
    return (
      <Alert severity="warning" icon={<ReportProblem />} action={open}>
        {t.unexpected(name)}
      </Alert>
    )
  return (
    <Alert severity="success" icon={<CheckCircle />}>
      {repeated ? t.again(name) : t.found(name)}
    </Alert>
  )
}
