/** One pass: its code to show, its page to print or send, its scans, and revoking it. */

import { Block, ContentCopy, Edit, Fullscreen, OpenInNew } from '@mui/icons-material'
import {
  Box,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  Stack,
  TextField,
  Typography,
} from '@mui/material'
import { useState } from 'react'

import { useCall } from '../../api/hooks.ts'
import type { Activity, Pass } from '../../api/types.ts'
import { dateTime, labelled, timeIn, withNote } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { AddressWarning } from '../../ui/AddressWarning.tsx'
import { CodeScreen } from '../../ui/CodeScreen.tsx'
import { useCopy } from '../../ui/copy.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { EnumChip } from '../../ui/enums.tsx'
import { QrPicture } from '../../ui/QrPicture.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { useIsPhone } from '../../ui/use-is-phone.ts'
import { PassForm } from './PassForm.tsx'
import { UsesOfPass } from './PassUses.tsx'
import { useRights } from './rights.ts'
import { activityWords } from './words.ts'

const words = texts({
  en: {
    show: 'Show',
    page: 'Open page',
    copy: 'Copy link',
    used: (n: number, of: string) => `${n} of ${of} entries used`,
    from: (time: string) => `valid from ${time}`,
    until: (time: string) => `valid until ${time}`,
    revokedBecause: (reason: string) => `Reason: ${reason}`,
    scans: 'Scans at the gate',
    lists: 'Check-in lists',
    usedOn: (n: number) => (n === 0 ? 'not used' : n === 1 ? '1 entry' : `${n} entries`),
    inside: 'inside',
    change: 'Change',
    follows: 'until the end of the activity',
    revoke: 'Revoke',
    revokeTitle: (name: string) => `Revoke the pass of ${name}?`,
    revokeText:
      'The gate refuses it from now on. A revoked pass cannot become valid again, but you can issue another one.',
    reason: 'Reason (optional)',
    revoked: 'The pass is revoked.',
    secret: 'Anyone who has the link or the code can come in. Send it to the holder only.',
  },
  zh: {
    show: '显示',
    page: '打开页面',
    copy: '复制链接',
    used: (n: number, of: string) => `已用 ${n} / ${of} 次`,
    from: (time: string) => `${time} 起有效`,
    until: (time: string) => `有效期至 ${time}`,
    revokedBecause: (reason: string) => `原因：${reason}`,
    scans: '检票记录',
    lists: '签到名单',
    usedOn: (n: number) => (n === 0 ? '未使用' : `${n} 次`),
    inside: '在场',
    change: '修改',
    follows: '随活动结束',
    revoke: '作废',
    revokeTitle: (name: string) => `作废 ${name} 的通行证？`,
    revokeText: '入口将立即拒绝此通行证。作废后无法恢复，但可以重新发放。',
    reason: '原因（可不填）',
    revoked: '通行证已作废。',
    secret: '任何人持有链接或二维码都能入场，请只发给持有人。',
  },
})

export function PassDialog({ activity, pass, onClose }: { activity: Activity; pass: Pass; onClose: () => void }) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const can = useRights(activity)
  const copy = useCopy()
  const isPhone = useIsPhone()
  const [dialog, setDialog] = useState<'code' | 'revoke' | 'change' | null>(null)
  const close = () => setDialog(null)
  const { qrContent } = pass
  const isLive = pass.status !== 'REVOKED' && pass.status !== 'EXPIRED'
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" fullScreen={isPhone} aria-labelledby="pass-title">
      <DialogTitle id="pass-title" sx={{ overflowWrap: 'anywhere' }}>
        {pass.holderName}
      </DialogTitle>
      <DialogContent>
        <Stack spacing={2}>
          <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2} sx={{ alignItems: { xs: 'center', sm: 'start' } }}>
            {qrContent !== null && isLive && <QrPicture content={qrContent} alt={pass.holderName} width={200} />}
            <Stack spacing={1} sx={{ alignItems: 'start', flex: 1 }}>
              <EnumChip of="passStatus" value={pass.status} />
              <Typography>
                {t.used(pass.usedCount, pass.maxUses === 0 ? shared.unlimited : String(pass.maxUses))}
              </Typography>
              {pass.validFrom !== null && <Typography>{t.from(timeIn(pass.validFrom, activity.timeZone))}</Typography>}
              {pass.validTo !== null && (
                <Typography>
                  {withNote(t.until(timeIn(pass.validTo, activity.timeZone)), pass.followsActivity && t.follows)}
                </Typography>
              )}
              {pass.fields.map(({ key, label, value }) => (
                <Typography key={key}>{labelled(label, value)}</Typography>
              ))}
              {pass.revokeReason && <Typography>{t.revokedBecause(pass.revokeReason)}</Typography>}
            </Stack>
          </Stack>
          {isLive && (
            <>
              <AddressWarning />
              <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
                {qrContent !== null && (
                  <Button variant="outlined" startIcon={<Fullscreen />} onClick={() => setDialog('code')}>
                    {t.show}
                  </Button>
                )}
                <Button
                  variant="outlined"
                  startIcon={<OpenInNew />}
                  href={pass.publicUrl}
                  target="_blank"
                  rel="noreferrer"
                >
                  {t.page}
                </Button>
                <Button variant="outlined" startIcon={<ContentCopy />} onClick={() => copy(pass.publicUrl)}>
                  {t.copy}
                </Button>
              </Stack>
              <Typography variant="body2" color="text.secondary">
                {t.secret}
              </Typography>
            </>
          )}
          <ListsOfPass passId={pass.id} />
          <div>
            <Typography variant="h3" component="h3">
              {t.scans}
            </Typography>
            <UsesOfPass activityId={activity.id} canUndo={can('passes.undo')} passId={pass.id} />
          </div>
        </Stack>
      </DialogContent>
      <DialogActions>
        {isLive && can('passes.revoke') && (
          <Button color="error" startIcon={<Block />} onClick={() => setDialog('revoke')} sx={{ mr: 'auto' }}>
            {t.revoke}
          </Button>
        )}
        {pass.status !== 'REVOKED' && can('passes.update') && (
          <Button startIcon={<Edit />} onClick={() => setDialog('change')}>
            {t.change}
          </Button>
        )}
        <Button onClick={onClose} autoFocus>
          {shared.close}
        </Button>
      </DialogActions>
      {dialog === 'code' && qrContent !== null && (
        <CodeScreen content={qrContent} alt={pass.holderName} title={pass.holderName} onClose={close} />
      )}
      {dialog === 'change' && <PassForm pass={pass} endTime={activity.endTime} onClose={close} />}
      {dialog === 'revoke' && <RevokeDialog pass={pass} onClose={close} />}
    </Dialog>
  )
}

/** How often it was used on each check-in list. The list of passes does not tell. */
function ListsOfPass({ passId }: { passId: number }) {
  const t = useTexts(words)
  const { data } = useCall('passes.get', { params: { passId } })
  if (data === undefined || data.lists.length === 0) return null
  return (
    <div>
      <Typography variant="h3" component="h3" id="pass-lists">
        {t.lists}
      </Typography>
      <Box component="ul" aria-labelledby="pass-lists" sx={{ m: 0, pl: 2.5 }}>
        {data.lists.map(({ listId, name, used, inside, lastUsedAt }) => (
          <li key={listId}>
            {[name, t.usedOn(used), inside && t.inside, lastUsedAt !== null && dateTime(lastUsedAt)]
              .filter(Boolean)
              .join(' · ')}
          </li>
        ))}
      </Box>
    </div>
  )
}

function RevokeDialog({ pass, onClose }: { pass: Pass; onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    'passes.revoke',
    { reason: '' },
    {
      done: t.revoked,
      refreshes: ['passes', 'activities'],
      onDone: onClose,
      input: ({ reason }) => ({ params: { passId: pass.id }, body: { reason: reason.trim() || null } }),
    },
  )
  return (
    <ConfirmDialog
      isOpen
      form={form}
      title={t.revokeTitle(pass.holderName)}
      text={t.revokeText}
      action={t.revoke}
      onClose={onClose}
    >
      <TextField {...form.text('reason', { label: t.reason })} />
    </ConfirmDialog>
  )
}
