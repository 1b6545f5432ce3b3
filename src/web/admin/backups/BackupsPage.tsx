/** Backups: make one, see how far it is, verify, download and delete, and the schedule. */

import { Backup as BackupIcon, Delete, Download, FactCheck, Schedule } from '@mui/icons-material'
import { Alert, Box, Button, Card, CardContent, LinearProgress, Stack, Typography } from '@mui/material'
import { Link } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { Backup, BackupList } from '../../api/types.ts'
import { bytes, dateTime, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { Facts, Section } from '../../ui/parts.tsx'
import { Status, type Tone } from '../../ui/Status.tsx'
import { RestoreButton } from './RestoreDialog.tsx'
import { Restores } from './Restores.tsx'
import { UploadButton } from './UploadButton.tsx'

const words = texts({
  en: {
    title: 'Backups',
    create: 'Create a backup',
    started: 'Backup started.',
    empty: 'There are no backups yet',
    emptyText:
      'A backup holds the database, the uploaded files and the keys. Make one now, then switch on the schedule.',
    lastGood: 'Newest good backup',
    never: 'None',
    next: 'Next by schedule',
    off: 'The schedule is off',
    free: 'Free space for backups',
    schedule: 'Change the schedule',
    folder: 'Folder',
    elsewhere: 'Backups are on the disk of the data. Copy them to another machine: a broken disk takes both.',
    noFolder:
      'The folder of backups is missing or cannot be read. Connect its disk, or choose another folder in the settings.',
    notIncluded: (bucket: string) =>
      `The uploaded files are in the bucket ${bucket}, which backups do not include. Protect it on its own.`,
    state: { UPLOADING: 'Upload not complete', RUNNING: 'Being created', READY: 'Complete', FAILED: 'Failed' },
    verification: {
      NONE: 'Not verified',
      RUNNING: 'Being verified',
      GOOD: 'Verified',
      DAMAGED: 'Damaged',
      FAILED: 'Verification failed',
    },
    source: {
      USER: 'Created by an administrator',
      SCHEDULE: 'By schedule',
      COMMAND_LINE: 'Created on the command line',
      UPLOAD: 'Uploaded',
    },
    by: (name: string) => `Created by ${name}`,
    uploadedBy: (name: string) => `Uploaded by ${name}`,
    rows: (rows: string) => `${rows} rows`,
    files: (files: string) => `${files} files`,
    progress: (name: string) => `Progress of ${name}`,
    verify: 'Verify',
    verifyOf: (name: string) => `Verify ${name}`,
    verifyTitle: 'Verify this backup?',
    verifyText:
      'The server reads the whole file and restores the database into a temporary one. That takes about as long as making it; people can go on working.',
    verifying: 'Verification started.',
    download: 'Download',
    downloadOf: (name: string) => `Download ${name}`,
    downloadTitle: 'Download this backup?',
    downloadText:
      'The file contains all data of all users, and is not encrypted. Keep it where nobody else can read it.',
    downloading: 'Download started.',
    delete: 'Delete',
    deleteOf: (name: string) => `Delete ${name}`,
    deleteTitle: 'Delete this backup?',
    deleteText: 'The file is removed from the server. This cannot be undone.',
    deleted: 'The backup is deleted.',
  },
  zh: {
    title: '备份',
    create: '创建备份',
    started: '备份已开始。',
    empty: '还没有备份',
    emptyText: '备份包含数据库、上传的文件和密钥。请现在创建一个，然后开启定时备份。',
    lastGood: '最新有效备份',
    never: '无',
    next: '下次定时备份',
    off: '定时备份已关闭',
    free: '备份可用空间',
    schedule: '设置定时备份',
    folder: '文件夹',
    elsewhere: '备份与数据在同一块磁盘上。请复制到另一台机器，否则磁盘损坏时两者都会丢失。',
    noFolder: '备份文件夹不存在或无法读取。请连接其磁盘，或在设置中选择其他文件夹。',
    notIncluded: (bucket: string) => `上传的文件存放在存储桶 ${bucket} 中，不包含在备份内，请单独保护。`,
    state: { UPLOADING: '上传未完成', RUNNING: '正在创建', READY: '完整', FAILED: '失败' },
    verification: { NONE: '未校验', RUNNING: '正在校验', GOOD: '已校验', DAMAGED: '已损坏', FAILED: '校验失败' },
    source: { USER: '由管理员创建', SCHEDULE: '定时创建', COMMAND_LINE: '由命令行创建', UPLOAD: '已上传' },
    by: (name: string) => `由 ${name} 创建`,
    uploadedBy: (name: string) => `由 ${name} 上传`,
    rows: (rows: string) => `${rows} 行`,
    files: (files: string) => `${files} 个文件`,
    progress: (name: string) => `${name} 的进度`,
    verify: '校验',
    verifyOf: (name: string) => `校验 ${name}`,
    verifyTitle: '校验此备份？',
    verifyText: '服务器会读取整个文件，并恢复到临时数据库。所需时间与创建备份相近，期间可以继续使用。',
    verifying: '校验已开始。',
    download: '下载',
    downloadOf: (name: string) => `下载 ${name}`,
    downloadTitle: '下载此备份？',
    downloadText: '文件包含所有用户的全部数据，且未加密。请保存在他人无法读取的地方。',
    downloading: '下载已开始。',
    delete: '删除',
    deleteOf: (name: string) => `删除 ${name}`,
    deleteTitle: '删除此备份？',
    deleteText: '文件将从服务器删除。此操作无法撤销。',
    deleted: '备份已删除。',
  },
})

/** Milliseconds between two readings while a backup is made, and otherwise. */
const BUSY = 1500
const IDLE = 30_000

export default function BackupsPage() {
  const t = useTexts(words)
  const may = useMay()
  const first = useCall('backups.list', { query: { size: 100 } })
  const query = useCall('backups.list', { query: { size: 100 } }, { every: first.data?.isBusy ? BUSY : IDLE })
  const create = useAction('backups.create', { done: t.started })
  return (
    <Page
      title={t.title}
      actions={
        may('backups.create') && (
          <>
            <UploadButton />
            <Button
              variant="contained"
              startIcon={<BackupIcon />}
              data-create
              loading={create.isPending}
              disabled={query.data?.isBusy ?? true}
              onClick={() => create.mutate({ body: { format: 'ZST' } })}
            >
              {t.create}
            </Button>
          </>
        )
      }
    >
      <Answer query={query}>{(list) => <Shown list={list} />}</Answer>
      <Restores />
    </Page>
  )
}

function Shown({ list }: { list: BackupList }) {
  const t = useTexts(words)
  const may = useMay()
  const { items, folder, isBusy, lastGoodAt, nextAt, freeBytes, notIncluded } = list
  return (
    <>
      {notIncluded !== null && (
        <Alert severity="warning" sx={{ mb: 2 }}>
          {t.notIncluded(notIncluded)}
        </Alert>
      )}
      <Section
        actions={
          may('admin.settings.list') && (
            <Button startIcon={<Schedule />} component={Link} to="/admin/settings?keyword=backup.">
              {t.schedule}
            </Button>
          )
        }
      >
        <Facts
          items={[
            [t.lastGood, dateTime(lastGoodAt) || t.never],
            [t.next, dateTime(nextAt) || t.off],
            [t.folder, folder.path],
            [t.free, freeBytes === null ? null : bytes(freeBytes)],
          ]}
        />
        {folder.isWithData === true && (
          <Typography variant="body2" color="text.secondary" sx={{ mt: 1 }}>
            {t.elsewhere}
          </Typography>
        )}
        {folder.isWithData === null && folder.lockedBy === null && (
          <Alert severity="error" sx={{ mt: 1 }}>
            {t.noFolder}
          </Alert>
        )}
      </Section>
      <Card>
        <CardContent sx={{ '&:last-child': { pb: 1 } }}>
          {items.length === 0 ? (
            <EmptyState icon={BackupIcon} title={t.empty} text={t.emptyText} />
          ) : (
            <Box component="ul" aria-label={t.title} sx={{ listStyle: 'none', m: 0, p: 0 }}>
              {items.map((backup) => (
                <Box
                  key={backup.name}
                  component="li"
                  sx={{ py: 1.5, '& + &': { borderTop: 1, borderColor: 'divider' } }}
                >
                  <Item backup={backup} isBusy={isBusy} />
                </Box>
              ))}
            </Box>
          )}
        </CardContent>
      </Card>
    </>
  )
}

function toneOf({ state, verification }: Backup): Tone {
  if (state === 'FAILED' || verification.state === 'DAMAGED') return 'bad'
  if (state === 'RUNNING' || state === 'UPLOADING' || verification.state === 'FAILED') return 'warning'
  return verification.state === 'GOOD' ? 'good' : 'neutral'
}

function Item({ backup, isBusy }: { backup: Backup; isBusy: boolean }) {
  const t = useTexts(words)
  const {
    name,
    state,
    source,
    createdBy,
    createdAt,
    bytes: size,
    rows,
    files,
    problem,
    verification,
    progress,
  } = backup
  const params = { name }
  const by = source === 'UPLOAD' ? t.uploadedBy : t.by
  const origin = createdBy === null ? t.source[source] : by(createdBy.name)
  const contents = [
    size !== null && bytes(size),
    // Unknown for a backup of the command line until it is verified.
    rows !== null && t.rows(number(rows)),
    files !== null && t.files(number(files)),
  ].filter((one) => one !== false)
  const trouble = problem ?? verification.problem
  return (
    <>
      <Stack direction="row" useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center', columnGap: 2, rowGap: 0.5 }}>
        <Box sx={{ flex: 1, minWidth: 220 }}>
          <Typography sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{dateTime(createdAt)}</Typography>
          <Typography variant="body2" color="text.secondary" sx={{ overflowWrap: 'anywhere' }}>
            {origin} · {name}
          </Typography>
          <Typography variant="body2" color="text.secondary">
            {contents.join(' · ')}
          </Typography>
        </Box>
        <Status tone={toneOf(backup)} text={state === 'READY' ? t.verification[verification.state] : t.state[state]} />
        <Box sx={{ display: 'flex', flexWrap: 'wrap' }}>
          {state === 'READY' && !isBusy && (
            <ActionButton
              operation="backups.verify"
              input={{ params }}
              label={t.verify}
              name={t.verifyOf(name)}
              icon={<FactCheck />}
              color="primary"
              title={t.verifyTitle}
              text={t.verifyText}
              done={t.verifying}
            />
          )}
          {state === 'READY' && verification.state === 'GOOD' && <RestoreButton name={name} />}
          {state === 'READY' && (
            <ActionButton
              operation="backups.downloadLink"
              input={{ params }}
              label={t.download}
              name={t.downloadOf(name)}
              icon={<Download />}
              color="primary"
              title={t.downloadTitle}
              text={t.downloadText}
              done={t.downloading}
              onDone={({ url }) => location.assign(url)}
            />
          )}
          {state !== 'RUNNING' && (
            <ActionButton
              operation="backups.delete"
              input={{ params }}
              label={t.delete}
              name={t.deleteOf(name)}
              icon={<Delete />}
              title={t.deleteTitle}
              text={t.deleteText}
              done={t.deleted}
            />
          )}
        </Box>
      </Stack>
      {progress !== null && (
        <LinearProgress variant="determinate" value={progress} aria-label={t.progress(name)} sx={{ mt: 1 }} />
      )}
      {trouble !== null && (
        <Alert severity="error" sx={{ mt: 1, overflowWrap: 'anywhere' }}>
          {trouble}
        </Alert>
      )}
    </>
  )
}
