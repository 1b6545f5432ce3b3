/** Publishes a version of the app: first the package is uploaded, then the version is described and published. */

import { Publish, UploadFile } from '@mui/icons-material'
import { Alert, Box, Button, LinearProgress, Stack, TextField, Typography } from '@mui/material'
import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'

import { upload } from '../../api/client.ts'
import { useCall } from '../../api/hooks.ts'
import type { AppPackage } from '../../api/types.ts'
import { bytes } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { CheckField, NumberField } from '../../ui/fields.tsx'
import { FileButton } from '../../ui/FileButton.tsx'
import { Form } from '../../ui/Form.tsx'
import { MarkdownEditor } from '../../ui/Markdown.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    title: 'Publish an app version',
    package: 'Package',
    choose: 'Choose package',
    other: 'Choose another package',
    hint: 'An APK or another installer. Nobody can download it before the version is published.',
    uploading: (name: string, percent: number) => `Uploading ${name}: ${percent} %`,
    stop: 'Stop',
    uploaded: (name: string, size: string) => `${name} (${size}) is uploaded.`,
    version: 'Version',
    latest: (name: string, code: number) => `The latest version is ${name} (code ${code}). The code must be greater.`,
    name: 'Version name, such as 1.4.0',
    code: 'Version code',
    notes: 'Release notes (Markdown)',
    major: 'Major version: users cannot put the update off',
    force: 'Required: the app does not work before it is updated',
    publish: 'Publish',
    ask: (name: string) => `Publish version ${name}?`,
    text: 'Apps offer the update from now on. A published version cannot be withdrawn or changed; to correct it, publish a newer one.',
    done: 'The version is published.',
  },
  zh: {
    title: '发布应用版本',
    package: '安装包',
    choose: '选择安装包',
    other: '选择其他安装包',
    hint: 'APK 或其他安装包。版本发布之前无人可以下载。',
    uploading: (name: string, percent: number) => `正在上传 ${name}：${percent}%`,
    stop: '停止',
    uploaded: (name: string, size: string) => `${name}（${size}）已上传。`,
    version: '版本',
    latest: (name: string, code: number) => `最新版本为 ${name}（版本号 ${code}），新版本号必须更大。`,
    name: '版本名称，如 1.4.0',
    code: '版本号',
    notes: '更新说明（Markdown）',
    major: '大版本：用户无法推迟更新',
    force: '强制更新：更新之前无法使用应用',
    publish: '发布',
    ask: (name: string) => `发布版本 ${name}？`,
    text: '应用将立即提示更新。已发布的版本无法撤回或修改；如需更正，请发布更新的版本。',
    done: '版本已发布。',
  },
})

export default function AppUpdateForm() {
  const t = useTexts(words)
  const navigate = useNavigate()
  const [file, setFile] = useState<AppPackage>()
  const form = useForm(
    'appUpdates.publish',
    { versionName: '', versionCode: null as number | null, releaseNotes: '', isMajor: false, forceUpdate: false },
    {
      asks: true,
      done: t.done,
      refreshes: ['appUpdates'],
      input: ({ versionCode, isMajor, forceUpdate, ...texts }) => ({
        body: {
          ...texts,
          versionCode: versionCode!,
          downloadUrl: file!.downloadUrl,
          fileSize: file!.fileSize,
          sha256: file!.sha256,
          isMajor: Number(isMajor),
          forceUpdate: Number(forceUpdate),
        },
      }),
      onDone: () => void navigate('/admin/app-updates'),
    },
  )
  const { versionName } = form.values
  return (
    <Page title={t.title} back="/admin/app-updates">
      <Section title={t.package}>
        <Package
          file={file}
          onUploaded={(uploaded) => {
            setFile(uploaded)
            if (versionName === '') form.set({ versionName: /(\d+(?:\.\d+)+)/.exec(uploaded.fileName)?.[1] ?? '' })
          }}
        />
      </Section>
      <Section title={t.version}>
        <Form form={form} action={t.publish} icon={<Publish />} isDisabled={file === undefined}>
          <LatestVersion />
          <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2} sx={{ '& > *': { flex: 1 } }}>
            <TextField {...form.text('versionName', { label: t.name })} />
            <NumberField {...form.number('versionCode', { label: t.code })} />
          </Stack>
          <MarkdownEditor {...form.pick('releaseNotes', { label: t.notes })} rows={8} />
          <CheckField {...form.check('isMajor', { label: t.major })} />
          <CheckField {...form.check('forceUpdate', { label: t.force })} />
        </Form>
      </Section>
      <ConfirmDialog {...form.question} title={t.ask(versionName.trim())} text={t.text} action={t.publish} />
    </Page>
  )
}

function LatestVersion() {
  const t = useTexts(words)
  const { data } = useCall('appUpdates.latest')
  return data && <Typography color="text.secondary">{t.latest(data.versionName, data.versionCode)}</Typography>
}

interface PackageProps {
  file: AppPackage | undefined
  onUploaded: (file: AppPackage) => void
}

/** Chooses and uploads the package. Names keep the characters that the server accepts. */
function Package({ file, onUploaded }: PackageProps) {
  const t = useTexts(words)
  const [progress, setProgress] = useState<{ name: string; fraction: number }>()
  const [error, setError] = useState<unknown>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const start = async (chosen: File) => {
    const controller = new AbortController()
    running.current = controller
    const name =
      chosen.name
        .replaceAll(/[^\w.-]+/g, '-')
        .replace(/^[^A-Za-z0-9]+/, '')
        .slice(-100) || 'package'
    setError(undefined)
    setProgress({ name, fraction: 0 })
    try {
      const uploaded = await upload('appUpdates.putPackage', {
        params: { fileName: name },
        form: chosen,
        signal: controller.signal,
        onProgress: (fraction) => setProgress({ name, fraction }),
      })
      onUploaded(uploaded as AppPackage)
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure)
    } finally {
      setProgress(undefined)
    }
  }
  if (progress !== undefined) {
    const percent = Math.floor(progress.fraction * 100)
    return (
      <Box>
        <Typography sx={{ overflowWrap: 'anywhere' }}>{t.uploading(progress.name, percent)}</Typography>
        <LinearProgress
          variant="determinate"
          value={percent}
          aria-label={t.uploading(progress.name, percent)}
          sx={{ my: 1 }}
        />
        <Button onClick={() => running.current?.abort()}>{t.stop}</Button>
      </Box>
    )
  }
  return (
    <Stack spacing={1.5} sx={{ alignItems: 'flex-start' }}>
      {file === undefined ? (
        <Typography color="text.secondary">{t.hint}</Typography>
      ) : (
        <Alert severity="success" sx={{ overflowWrap: 'anywhere' }}>
          {t.uploaded(file.fileName, bytes(file.fileSize))}
          <Typography variant="caption" component="p">
            SHA-256 {file.sha256}
          </Typography>
        </Alert>
      )}
      {error !== undefined && <ErrorNotice error={error} />}
      <FileButton
        variant={file === undefined ? 'contained' : 'outlined'}
        startIcon={<UploadFile />}
        onFiles={([chosen]) => void start(chosen!)}
      >
        {file === undefined ? t.choose : t.other}
      </FileButton>
    </Stack>
  )
}
