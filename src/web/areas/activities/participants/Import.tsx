/** Imports participants from a spreadsheet: choose the file, match its columns, check, import. Nothing is written before the last step. */

import { Alert, Stack } from '@mui/material'
import { useParams } from 'react-router'

import { useCall } from '../../../api/hooks.ts'
import type { Activity } from '../../../api/types.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { Answer } from '../../../ui/Answer.tsx'
import { CheckField } from '../../../ui/fields.tsx'
import { ColumnsCard, Preview, type Targets } from '../../../ui/import-columns.tsx'
import { Checked, FileCard, Imported, useImport } from '../../../ui/imports.tsx'
import { Owned } from '../../../ui/Owned.tsx'
import { Page } from '../../../ui/Page.tsx'
import { useOwnerOf } from '../rights.ts'
import { participantWords } from './words.ts'

const words = texts({
  en: {
    title: 'Import participants',
    fileHelp:
      'Excel (.xlsx) or CSV with a header row, at most 5,000 rows: name, e-mail, status, language, note, and the questions of the activity. A row with the e-mail address of a guest changes that guest; all others add one. The table that “Export” makes can be imported again.',
    claims:
      'Addresses in the file are not confirmed: their owners get mails only after they have opened a link and confirmed it. Accounts are not looked up, and rows whose source is “Account” change nothing.',
    targets: { name: 'Name', email: 'E-mail', status: 'Status', language: 'Language', note: 'Note', source: 'Source' },
    show: 'Show the registrations',
  },
  zh: {
    title: '导入报名名单',
    fileHelp:
      '支持 Excel（.xlsx）或 CSV，须有表头，最多 5000 行：姓名、邮箱、状态、语言、备注，以及报名问题。邮箱与已有来宾相同的行会修改该来宾，其余行会新增。“导出”得到的表格可以再次导入。',
    claims: '文件中的邮箱尚未确认，对方打开链接并确认后才会收到邮件。不会查找账号，来源为“账号”的行不作任何更改。',
    targets: { name: '姓名', email: '邮箱', status: '状态', language: '语言', note: '备注', source: '来源' },
    show: '查看报名名单',
  },
})

interface Values {
  readonly file: File | undefined
  readonly mapping: Readonly<Record<string, string | null>>
  readonly overCapacity: boolean
  readonly notify: boolean
}

const FIRST: Values = { file: undefined, mapping: {}, overCapacity: false, notify: false }

function bodyOf({ file, mapping, overCapacity, notify }: Values, isDry: boolean): FormData {
  const form = new FormData()
  form.set('dryRun', String(isDry))
  form.set('mapping', JSON.stringify(mapping))
  form.set('overCapacity', String(overCapacity))
  form.set('notify', String(notify))
  form.set('file', file!, file!.name)
  return form
}

export default function Import() {
  const id = Number(useParams().id)
  const query = useCall('activities.get', { params: { id } })
  return <Answer query={query}>{(activity) => <OwnedImport activity={activity} />}</Answer>
}

const OwnedImport = ({ activity }: { activity: Activity }) => (
  <Owned orgId={useOwnerOf(activity)}>
    <Steps activity={activity} />
  </Owned>
)

function Steps({ activity }: { activity: Activity }) {
  const t = useTexts(words)
  const shared = useTexts(participantWords)
  const targets = useTargets(activity)
  const back = `/activities/${activity.id}?tab=registrations`
  const { form, answer, isDone, sent, choose, check, write, restart } = useImport('registrations.import', FIRST, {
    params: { id: activity.id },
    refreshes: ['registrations', 'activities', 'passes'],
    bodyOf,
  })
  return (
    <Page title={t.title} back={back}>
      {isDone ? (
        <Imported result={answer} to={back} show={t.show} onAgain={restart} />
      ) : (
        <Stack spacing={2}>
          <FileCard
            help={t.fileHelp}
            accept=".xlsx,.xlsm,.csv,.txt"
            file={form.values.file}
            sent={sent}
            error={answer === undefined ? form.error : null}
            onChoose={choose}
          />
          <Alert severity="info">{t.claims}</Alert>
          {answer !== undefined && (
            <>
              <ColumnsCard form={form} result={answer} targets={targets} onCheck={check}>
                <Stack>
                  {activity.registration?.capacity != null && (
                    <CheckField {...form.check('overCapacity', { label: shared.over })} isBox />
                  )}
                  <CheckField {...form.check('notify', { label: shared.tellMany })} isBox />
                </Stack>
              </ColumnsCard>
              <Checked
                form={form}
                result={answer}
                preview={<Preview rows={answer.preview} targets={targets} />}
                onImport={write}
              />
            </>
          )}
        </Stack>
      )}
    </Page>
  )
}

/** The columns of participants and their names; questions by their keys. */
function useTargets({ registration }: Activity): Targets {
  const t = useTexts(words)
  return [
    ...Object.entries(t.targets).map(([id, name]) => ({ id, name })),
    ...(registration?.questions ?? []).map(({ key, label }) => ({ id: `answers.${key}`, name: label })),
  ]
}
