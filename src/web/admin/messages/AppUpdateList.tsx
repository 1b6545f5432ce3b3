/** Published versions of the app. */

import { Download, SystemUpdate } from '@mui/icons-material'
import { Button, Typography } from '@mui/material'

import type { AppUpdate } from '../../api/types.ts'
import { useLabels } from '../../i18n/fields.ts'
import { bytes, dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { Facts } from '../../ui/parts.tsx'
import { Rendered } from '../../ui/Rendered.tsx'

const words = texts({
  en: {
    title: 'App versions',
    create: 'Publish version',
    none: 'No app version published yet',
    noneText: 'Upload the package of your app. Apps offer the update, and the front page offers the download.',
    required: 'Required',
    major: 'Major version',
    optional: 'Optional',
    download: 'Download package',
    notes: 'Release notes',
    noNotes: 'No release notes.',
    version: (name: string) => `Version ${name}`,
  },
  zh: {
    title: '应用版本',
    create: '发布版本',
    none: '还没有发布应用版本',
    noneText: '上传应用安装包后，用户会收到更新提示，首页也会提供下载。',
    required: '强制更新',
    major: '大版本',
    optional: '可选更新',
    download: '下载安装包',
    notes: '更新说明',
    noNotes: '没有更新说明。',
    version: (name: string) => `版本 ${name}`,
  },
})

export default function AppUpdateList() {
  const t = useTexts(words)
  const f = useLabels()
  const urgency = (row: AppUpdate) => (row.forceUpdate ? t.required : row.isMajor ? t.major : t.optional)
  return (
    <DetailTable
      operation="appUpdates.list"
      title={t.title}
      create={{ to: '/admin/app-updates/create', needs: 'appUpdates.publish', label: t.create }}
      columns={[
        { source: 'versionName' },
        { source: 'versionCode' },
        { source: 'forceUpdate', render: urgency, text: urgency },
        { source: 'fileSize', kind: 'bytes' },
        { source: 'createdAt', kind: 'time' },
      ]}
      nameOf={(row) => t.version(row.versionName)}
      renderDetails={(row) => (
        <>
          <Facts
            items={[
              [f('versionCode'), row.versionCode],
              [f('forceUpdate'), urgency(row)],
              [f('fileSize'), bytes(row.fileSize)],
              [f('createdAt'), dateTime(row.createdAt)],
              ['SHA-256', row.sha256],
            ]}
          />
          <Typography variant="h3">{t.notes}</Typography>
          {row.releaseNotes === '' ? (
            <Typography color="text.secondary">{t.noNotes}</Typography>
          ) : (
            <Rendered html={row.releaseNotesHtml} />
          )}
        </>
      )}
      renderButtons={(row) => (
        <Button component="a" href={row.downloadUrl} startIcon={<Download />}>
          {t.download}
        </Button>
      )}
      target="APP_UPDATE"
      empty={{ icon: SystemUpdate, title: t.none, text: t.noneText }}
    />
  )
}
