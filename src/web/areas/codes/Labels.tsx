/** Prints codes as labels: `/codes/print?ids=1,2&org=3`. */

import { Alert } from '@mui/material'

import { call } from '../../api/client.ts'
import type { QrCode } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwnerQuery } from '../../session/session.ts'
import { AddressWarning } from '../../ui/AddressWarning.tsx'
import { Owned, useAddressOwner } from '../../ui/Owned.tsx'
import { PrintPage } from '../../ui/print/PrintPage.tsx'
import { contentOfPicture } from './CodeRow.tsx'
import { summaryOf } from './content.ts'
import { pictureUrl } from './look/designs.ts'
import { codeWords } from './words.ts'

const words = texts({
  en: {
    hint: 'Select codes in the list, then choose “Print”.',
    toList: 'To my codes',
    dead: (n: number) =>
      n === 1
        ? '1 of these codes leads nowhere until its page is public.'
        : `${n} of these codes lead nowhere until their pages are public.`,
  },
  zh: {
    hint: '请先在列表中选择二维码，再点“打印”。',
    toList: '前往我的二维码',
    dead: (n: number) => `其中 ${n} 个二维码在公开之前无法打开。`,
  },
})

export default function Labels() {
  const orgId = useAddressOwner()
  return (
    <Owned orgId={orgId}>
      <CodeLabels />
    </Owned>
  )
}

function CodeLabels() {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const owned = useOwnerQuery()
  return (
    <PrintPage<QrCode>
      list="/codes"
      toList={t.toList}
      hint={t.hint}
      parts={[
        { id: 'name', label: shared.name, isChosen: true, of: ({ name }) => name },
        { id: 'content', label: shared.content, isChosen: false, of: ({ content }) => summaryOf(content) },
      ]}
      label={(code) => ({ content: contentOfPicture(code), style: code.style, url: pictureUrl(code), name: code.name })}
      Warnings={CodeWarnings}
      read={(ids, size) => call('qrCodes.list', { query: { ...owned, ids, size } })}
    />
  )
}

/** Why codes could be useless on paper. */
function CodeWarnings({ things }: { things: readonly QrCode[] }) {
  const t = useTexts(words)
  const dynamic = things.filter(({ isDynamic }) => isDynamic)
  const dead = dynamic.filter(({ isPublic }) => !isPublic).length
  return (
    <>
      {dead > 0 && <Alert severity="warning">{t.dead(dead)}</Alert>}
      {dynamic.length > 0 && <AddressWarning />}
    </>
  )
}
