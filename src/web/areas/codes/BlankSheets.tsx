/** Prints the labels of a batch on sheets: `/codes/labels/print?batch=3`. */

import { Navigate, useSearchParams } from 'react-router'

import { useAll } from '../../api/pages.ts'
import type { QrBlank } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery } from '../../session/session.ts'
import { AddressWarning } from '../../ui/AddressWarning.tsx'
import { Answer } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { PrintSheet } from '../../ui/print/PrintSheet.tsx'

const words = texts({
  en: { title: 'Print blank labels', number: 'Number', none: 'The batch has no labels that can be used.' },
  zh: { title: '打印空白标签', number: '编号', none: '该批次没有可用的标签。' },
})

export default function BlankSheets() {
  const [params] = useSearchParams()
  const batchId = Number(params.get('batch'))
  return batchId > 0 ? <Sheets batchId={batchId} /> : <Navigate to="/codes/labels" replace />
}

function Sheets({ batchId }: { batchId: number }) {
  const t = useTexts(words)
  const query = useAll('qrBlanks.list', { query: { ...ownerQuery(), batchId } })
  return (
    <Page title={t.title} back="/codes/labels">
      <Answer query={query}>
        {(labels) => {
          const usable = labels.filter(({ status }) => status !== 'VOID')
          if (usable.length === 0) return t.none
          return (
            <PrintSheet<QrBlank>
              things={usable}
              parts={[{ id: 'number', label: t.number, isChosen: true, of: ({ number }) => number }]}
              label={({ shortUrl, number }) => ({ content: inPicture(shortUrl), name: number })}
              Warnings={Warnings}
            />
          )
        }}
      </Answer>
    </Page>
  )
}

const Warnings = () => <AddressWarning />

/** Upper case takes fewer modules. Only the last part and `/q/` may be written so: a server can have a path that may not. */
const inPicture = (shortUrl: string): string =>
  /^\/(?:q\/)?[^/]+$/.test(new URL(shortUrl).pathname) ? shortUrl.toUpperCase() : shortUrl
