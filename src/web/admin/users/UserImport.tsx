/** Imports users from a spreadsheet: choose the file, match its columns, check, import, and get the slips with the start codes. */

import { Download, PictureAsPdf } from '@mui/icons-material'
import { Alert, Button, Card, CardContent, Stack, TextField, Typography } from '@mui/material'

import { texts, useTexts } from '../../i18n/words.ts'
import { ColumnsCard, Preview, type Targets } from '../../ui/import-columns.tsx'
import { Checked, FileCard, Imported, useImport } from '../../ui/imports.tsx'
import { Page } from '../../ui/Page.tsx'
import { OrgPicker } from '../../ui/pickers.tsx'

const words = texts({
  en: {
    title: 'Import users',
    fileHelp:
      'Excel (.xlsx) or CSV with a header row, at most 5,000 rows: username, name, e-mail, phone, organization, role and language. Only the username is required.',
    claims:
      'Until their owners confirm them, e-mail addresses and phone numbers are only names to sign in with. Passwords are not imported: each person chooses one with a start code.',
    targets: {
      username: 'Username',
      nickname: 'Name',
      email: 'E-mail',
      phone: 'Phone',
      organization: 'Organization',
      role: 'Role',
      language: 'Language',
    },
    org: 'Organization of rows that name none',
    way: 'How they get in',
    ways: {
      START_CODE: 'With start codes on slips of paper',
      INVITE: 'With start codes by mail',
      NONE: 'In another way',
    },
    mode: 'Users who already exist',
    modes: { CREATE: 'Refuse them', UPSERT: 'Change names and memberships' },
    show: 'Show the users',
    slips: 'Start codes',
    slipsText:
      'Download them now: each file can be downloaded once, within 15 minutes, and then the codes are gone. Keep them like passwords.',
    pdf: 'Slips to cut out (PDF)',
    xlsx: 'Table (Excel)',
  },
  zh: {
    title: '导入用户',
    fileHelp:
      '支持 Excel（.xlsx）或 CSV，须有表头，最多 5000 行：用户名、姓名、邮箱、手机、组织、角色和语言。只有用户名为必填。',
    claims: '邮箱和手机号在本人验证之前仅作为登录名。不导入密码：每个人用初始码自行设置密码。',
    targets: {
      username: '用户名',
      nickname: '姓名',
      email: '邮箱',
      phone: '手机',
      organization: '组织',
      role: '角色',
      language: '语言',
    },
    org: '未填写组织的行加入',
    way: '登录方式',
    ways: { START_CODE: '打印初始码纸条', INVITE: '通过邮件发送初始码', NONE: '其他方式' },
    mode: '已存在的用户',
    modes: { CREATE: '拒绝', UPSERT: '更改姓名和成员关系' },
    show: '查看用户',
    slips: '初始码',
    slipsText: '请立即下载：每个文件仅可在 15 分钟内下载一次，之后初始码即被清除。请像密码一样保管。',
    pdf: '可裁剪的纸条（PDF）',
    xlsx: '表格（Excel）',
  },
})

interface Values {
  readonly file: File | undefined
  readonly mapping: Readonly<Record<string, string | null>>
  readonly orgId: number | null
  readonly way: 'START_CODE' | 'INVITE' | 'NONE'
  readonly mode: 'CREATE' | 'UPSERT'
}

const FIRST: Values = { file: undefined, mapping: {}, orgId: null, way: 'START_CODE', mode: 'CREATE' }

function bodyOf({ file, mapping, orgId, way, mode }: Values, isDry: boolean): FormData {
  const form = new FormData()
  form.set('dryRun', String(isDry))
  form.set('mapping', JSON.stringify(mapping))
  if (orgId !== null) form.set('orgId', String(orgId))
  form.set('way', way)
  form.set('mode', mode)
  form.set('file', file!, file!.name)
  return form
}

export default function UserImport() {
  const t = useTexts(words)
  const targets: Targets = Object.entries(t.targets).map(([id, name]) => ({ id, name }))
  const { form, answer, isDone, sent, choose, check, write, restart } = useImport('admin.users.import', FIRST, {
    // The organization is a choice of the form, not the workspace.
    params: {},
    refreshes: ['admin', 'operationLog'],
    bodyOf,
  })
  return (
    <Page title={t.title} back="/admin/users">
      {isDone ? (
        <Stack spacing={2}>
          {answer?.sheetUrl != null && <Slips url={answer.sheetUrl} />}
          <Imported result={answer} to="/admin/users" show={t.show} onAgain={restart} />
        </Stack>
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
                <Stack spacing={2} sx={{ maxWidth: 480 }}>
                  <OrgPicker {...form.pick('orgId', { label: t.org })} />
                  <TextField {...form.choice('way', t.ways, { label: t.way })} />
                  <TextField {...form.choice('mode', t.modes, { label: t.mode })} />
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

/** `url` is a path of this server, with its query; the download needs no token. */
function Slips({ url }: { url: string }) {
  const t = useTexts(words)
  return (
    <Card variant="outlined">
      <CardContent>
        <Typography variant="h2" sx={{ mb: 1 }}>
          {t.slips}
        </Typography>
        <Alert severity="warning" sx={{ mb: 2 }}>
          {t.slipsText}
        </Alert>
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
          <Button variant="contained" startIcon={<PictureAsPdf />} href={`${url}&format=pdf`} download>
            {t.pdf}
          </Button>
          <Button variant="outlined" startIcon={<Download />} href={url} download>
            {t.xlsx}
          </Button>
        </Stack>
      </CardContent>
    </Card>
  )
}
