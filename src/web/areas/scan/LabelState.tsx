/** The thing of a label, or the choice of one. */

import { Block, LinkOff } from '@mui/icons-material'
import { Alert, Button, Stack, Typography } from '@mui/material'
import { Link } from 'react-router'

import type { QrBlank } from '../../api/types.ts'
import { dateTime } from '../../i18n/format.ts'
import { things } from '../../i18n/things.ts'
import { texts, useLocale, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Assign } from './Assign.tsx'

const words = texts({
  en: {
    hidden: 'Something that you may not see',
    open: 'Open it',
    since: (when: string) => `Since ${when}`,
    release: 'Free the label',
    releaseText: 'It then stands for nothing, and can be assigned again.',
    released: 'The label is free.',
    void: 'Void the label',
    voidText: 'People who scan it will read that it is no longer used. This cannot be undone.',
    voided: 'The label is void.',
    isVoid: 'This label is void.',
    mayNot: 'This label is not in use yet. You may not assign it.',
  },
  zh: {
    hidden: '你无权查看的内容',
    open: '查看',
    since: (when: string) => `${when}绑定`,
    release: '解除绑定',
    releaseText: '解除后标签不再指向任何内容，可以重新绑定。',
    released: '标签已解除绑定。',
    void: '作废标签',
    voidText: '之后扫描会显示该标签已停用，无法撤销。',
    voided: '标签已作废。',
    isVoid: '此标签已作废。',
    mayNot: '此标签尚未使用，你无权绑定。',
  },
})

export function LabelState({ blank }: { blank: QrBlank }) {
  const t = useTexts(words)
  const may = useMay()
  if (blank.status === 'VOID') return <Alert severity="info">{t.isVoid}</Alert>
  if (blank.status === 'BOUND') return <Bound blank={blank} />
  return may('qrBlanks.bind') ? <Assign blank={blank} /> : <Alert severity="info">{t.mayNot}</Alert>
}

const KINDS = { QR_CODE: things.qrCode, ASSET: things.asset, LOCATION: things.location, ACTIVITY: things.activity }

/** The page of the thing of a label. */
const pathOf = ({ kind, targetId, orgId }: QrBlank): string =>
  ({
    QR_CODE: `/codes/${targetId}`,
    ASSET: `/assets/${targetId}`,
    ACTIVITY: `/activities/${targetId}`,
    LOCATION: `/orgs/${orgId}?tab=locations`,
  })[kind!]

function Bound({ blank }: { blank: QrBlank }) {
  const t = useTexts(words)
  const may = useMay()
  const locale = useLocale()
  const input = { params: { slug: blank.slug } }
  return (
    <Stack spacing={2} sx={{ alignItems: 'flex-start' }}>
      <Typography color="text.secondary">{KINDS[blank.kind!].one[locale]}</Typography>
      <Typography variant="h2" sx={{ overflowWrap: 'anywhere' }}>
        {blank.title ?? t.hidden}
      </Typography>
      <Typography variant="body2" color="text.secondary">
        {t.since(dateTime(blank.boundAt))}
      </Typography>
      {blank.title !== null && (
        <Button variant="contained" component={Link} to={pathOf(blank)}>
          {t.open}
        </Button>
      )}
      {may('qrBlanks.release') && (
        <ActionButton
          operation="qrBlanks.release"
          input={input}
          icon={<LinkOff />}
          label={t.release}
          title={`${t.release}?`}
          text={t.releaseText}
          action={t.release}
          done={t.released}
          refreshes={['qrBlanks', 'qrCodes']}
        />
      )}
      {may('qrBlanks.void') && (
        <ActionButton
          operation="qrBlanks.void"
          input={input}
          icon={<Block />}
          label={t.void}
          title={`${t.void}?`}
          text={t.voidText}
          action={t.void}
          done={t.voided}
          refreshes={['qrBlanks', 'qrCodes']}
        />
      )}
    </Stack>
  )
}
