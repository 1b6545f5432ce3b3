/** An archive of everything that the server knows about the user. */

import { Stack, Typography } from '@mui/material'
import { useState } from 'react'

import { useCall } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Answer } from '../../ui/Answer.tsx'
import { DataExportState, EXPORT_POLLING } from '../../ui/DataExport.tsx'
import { CheckField } from '../../ui/fields.tsx'
import { Section } from '../../ui/parts.tsx'
import { AccountPage } from './AccountPage.tsx'

const words = texts({
  en: {
    title: 'Your data',
    text: 'Get an archive of everything that this server knows about you: a page to read, tables, and your files. About other people, it contains only the names and messages that you can see. You can make one archive a day, and download it for 48 hours.',
    start: 'Export your data',
    startText: 'The archive is made in the background. You are notified when it is ready.',
    files: 'With photos and other files',
    started: 'The export has begun.',
  },
  zh: {
    title: '你的数据',
    text: '获取一个压缩包，包含本服务器保存的关于你的全部数据：一个可阅读的页面、表格以及你的文件。涉及其他人的部分只有你能看到的名称和消息。每天可生成一次，48 小时内可下载。',
    start: '导出你的数据',
    startText: '压缩包会在后台生成，就绪后会通知你。',
    files: '包含照片和其他文件',
    started: '已开始导出。',
  },
})

export default function YourData() {
  const t = useTexts(words)
  const [files, setFiles] = useState(true)
  const latest = useCall('ownData.latest', {}, EXPORT_POLLING)
  return (
    <AccountPage tab="data">
      <Section title={t.title} text={t.text}>
        <Answer query={latest}>
          {(job) => (
            <Stack spacing={2} sx={{ alignItems: 'flex-start' }}>
              {job !== null && <DataExportState job={job} />}
              {job?.status !== 'RUNNING' && (
                <ActionButton
                  operation="ownData.start"
                  input={{ body: { files } }}
                  label={t.start}
                  title={t.start}
                  text={
                    <>
                      <Typography sx={{ mb: 1 }}>{t.startText}</Typography>
                      <CheckField name="files" label={t.files} value={files} onChange={setFiles} />
                    </>
                  }
                  done={t.started}
                  color="primary"
                  variant={job?.status === 'READY' ? 'text' : 'contained'}
                />
              )}
            </Stack>
          )}
        </Answer>
      </Section>
    </AccountPage>
  )
}
