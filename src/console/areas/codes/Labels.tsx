/** Prints codes as labels: `/codes/print?ids=1,2`. */

import { call } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import type { QrCode } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery } from '../../session/session.ts'
import { PrintPage } from '../../ui/print/PrintPage.tsx'
import { contentOfPicture } from './CodeRow.tsx'
import { summaryOf } from './content.ts'
import { codeWords } from './words.ts'

const words = texts({
  en: { hint: 'Select codes in the list, then choose “Print”.', toList: 'To my codes' },
  zh: { hint: '请先在列表中选择二维码，再点“打印”。', toList: '前往我的二维码' },
})

/** Requests that run at the same time. */
const AT_ONCE = 6

export default function Labels() {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  return (
    <PrintPage<QrCode>
      list="/codes"
      toList={t.toList}
      hint={t.hint}
      parts={[
        { id: 'name', label: shared.name, isChosen: true, of: ({ name }) => name },
        { id: 'content', label: shared.content, isChosen: false, of: ({ content }) => summaryOf(content) },
      ]}
      label={(code) => ({ content: contentOfPicture(code), style: code.style, name: code.name })}
      read={readCodes}
    />
  )
}

/** Reads codes one by one, because the interface has no operation for several. */
async function readCodes(ids: readonly number[], onRead: (count: number) => void): Promise<QrCode[]> {
  const codes: QrCode[] = []
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const read = ids.slice(at, at + AT_ONCE).map((id) => call('qrCodes.get', { params: { id }, query: ownerQuery() }))
    const found = await Promise.all(read.map((one) => one.catch(missing)))
    codes.push(...found.filter((code) => code !== undefined))
    onRead(Math.min(at + AT_ONCE, ids.length))
  }
  return codes
}

function missing(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.status !== 404) throw error
}
