/** The result of a scan, large enough to be seen from an arm's length: green or red, and in words. */

import { Cancel, CheckCircle, QrCode2 } from '@mui/icons-material'
import { Box, CircularProgress, Stack, Typography } from '@mui/material'
import { green, red } from '@mui/material/colors'

import { dateTime, labelled } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ResultWords } from '../../../ui/FullResult.tsx'
import { reasonWords } from '../reasons.ts'
import type { Verdict } from './use-verdicts.ts'

const words = texts({
  en: {
    letIn: 'Let in',
    left: 'Goodbye',
    refused: 'Do not let in',
    uses: (n: number, of: number) => `Entry ${n} of ${of}`,
    last: (time: string) => `Last used ${time}`,
    until: (time: string) => `Was valid until ${time}`,
    from: (time: string) => `Valid from ${time}`,
    because: (reason: string) => `Reason: ${reason}`,
    offline: 'Checked without a connection',
    needs: 'This pass can only be checked with a connection',
  },
  zh: {
    letIn: '请入场',
    left: '已离场',
    refused: '不可入场',
    uses: (n: number, of: number) => `第 ${n} 次，共 ${of} 次`,
    last: (time: string) => `上次使用：${time}`,
    until: (time: string) => `有效期至 ${time}`,
    from: (time: string) => `${time} 起有效`,
    because: (reason: string) => `原因：${reason}`,
    offline: '离线核验',
    needs: '此通行证需要联网才能核验',
  },
})

export interface VerdictCardProps {
  verdict: Verdict | undefined
  isBusy: boolean
  /** Shown before the first scan. */
  waiting: string
  /** True: it is said elsewhere. */
  isSilent?: boolean
}

export function VerdictCard({ verdict, isBusy, waiting, isSilent = false }: VerdictCardProps) {
  const background = verdict === undefined ? undefined : verdict.isValid ? green[900] : red[900]
  return (
    <Box
      {...(!isSilent && { role: 'alert' })}
      key={verdict?.key}
      sx={{
        minHeight: 132,
        borderRadius: 2,
        p: 2,
        display: 'flex',
        alignItems: 'center',
        ...(background === undefined
          ? { border: 1, borderColor: 'divider', bgcolor: 'background.paper', color: 'text.secondary' }
          : { bgcolor: background, color: 'common.white' }),
        // A second green verdict must be noticed as new.
        '@media (prefers-reduced-motion: no-preference)': { animation: 'gate-verdict 250ms ease-out' },
        '@keyframes gate-verdict': { from: { opacity: 0.3 }, to: { opacity: 1 } },
      }}
    >
      <Stack direction="row" spacing={2} sx={{ alignItems: 'center', width: '100%' }}>
        {isBusy ? (
          <CircularProgress color="inherit" size={56} aria-label={waiting} />
        ) : verdict === undefined ? (
          <QrCode2 sx={{ fontSize: 56 }} />
        ) : verdict.isValid ? (
          <CheckCircle sx={{ fontSize: 64 }} />
        ) : (
          <Cancel sx={{ fontSize: 64 }} />
        )}
        <Box sx={{ minWidth: 0, flex: 1 }}>
          {verdict === undefined ? <Typography>{waiting}</Typography> : <VerdictWords verdict={verdict} />}
        </Box>
      </Stack>
    </Box>
  )
}

export function VerdictWords({ verdict }: { verdict: Verdict }) {
  const t = useTexts(words)
  const reasons = useTexts(reasonWords)
  const { isValid, pass, reason, direction, isOffline, error } = verdict
  const name = pass?.holderName
  // The counts of the pass are those of the entrance.
  const list = verdict.scan?.use.list
  const title = isValid
    ? (name ?? (direction === 'EXIT' ? t.left : t.letIn))
    : reason === 'NEEDS_CONNECTION' || reason === null
      ? t.refused
      : reasons[reason]
  const details = [
    isValid && name !== undefined && (direction === 'EXIT' ? t.left : t.letIn),
    !isValid && name,
    reason === 'NEEDS_CONNECTION' && t.needs,
    error?.message,
    list?.name,
    isValid && pass && direction === 'ENTRY' && pass.maxUses > 1 && !list && t.uses(pass.usedCount, pass.maxUses),
    ...(pass?.fields.map(({ label, value }) => labelled(label, value)) ?? []),
    reason === 'USED' && !list && pass?.lastUsedAt && t.last(dateTime(pass.lastUsedAt)),
    reason === 'EXPIRED' && pass?.validTo && t.until(dateTime(pass.validTo)),
    reason === 'NOT_YET_VALID' && pass?.validFrom && t.from(dateTime(pass.validFrom)),
    reason === 'REVOKED' && pass?.revokeReason && t.because(pass.revokeReason),
    isOffline && reason !== 'NEEDS_CONNECTION' && t.offline,
  ].filter((text): text is string => typeof text === 'string' && text !== '')
  return <ResultWords title={title} details={details} />
}
