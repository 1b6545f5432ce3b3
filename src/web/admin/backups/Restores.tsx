/** The last restores, which can be undone while the replaced data is there. */

import { Delete, Undo } from '@mui/icons-material'
import { Alert, Box, Stack, Typography } from '@mui/material'
import { useState } from 'react'

import { useCall } from '../../api/hooks.ts'
import type { Restore } from '../../api/types.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Section } from '../../ui/parts.tsx'
import { Status, type Tone } from '../../ui/Status.tsx'
import { Replacing } from './Replacing.tsx'

const words = texts({
  en: {
    title: 'Restores',
    text: 'The data that a restore has replaced stays on the disk until you delete it.',
    restore: (name: string) => `Backup ${name}`,
    commandLine: 'Restored on the command line',
    undoOf: (id: string) => `Undo of the restore ${id}`,
    by: (name: string) => `Started by ${name}`,
    state: { RUNNING: 'Running', DONE: 'Done', FAILED: 'Failed' },
    undo: 'Undo',
    undoName: (time: string) => `Undo the restore of ${time}`,
    undoTitle: 'Bring the replaced data back?',
    undoText:
      'The server stops, puts the data back that this restore has replaced, and starts again by itself. The data of now is kept and can come back in the same way.',
    undoAction: 'Replace all data',
    delete: 'Delete replaced data',
    deleteName: (time: string) => `Delete the data that the restore of ${time} has replaced`,
    deleteTitle: 'Delete the replaced data?',
    deleteText: 'This frees its space. The restore cannot be undone afterwards.',
    deleted: 'The replaced data is deleted.',
  },
  zh: {
    title: '恢复记录',
    text: '被恢复操作替换的数据会保留在磁盘上，直到你将其删除。',
    restore: (name: string) => `备份 ${name}`,
    commandLine: '由命令行恢复',
    undoOf: (id: string) => `撤销恢复 ${id}`,
    by: (name: string) => `由 ${name} 启动`,
    state: { RUNNING: '进行中', DONE: '已完成', FAILED: '失败' },
    undo: '撤销',
    undoName: (time: string) => `撤销 ${time} 的恢复`,
    undoTitle: '还原被替换的数据？',
    undoText: '服务器将停止，还原此次恢复所替换的数据，然后自动重新启动。当前数据会保留，之后可用同样方式还原。',
    undoAction: '替换所有数据',
    delete: '删除被替换的数据',
    deleteName: (time: string) => `删除 ${time} 的恢复所替换的数据`,
    deleteTitle: '删除被替换的数据？',
    deleteText: '这将释放其占用的空间，之后无法撤销该次恢复。',
    deleted: '被替换的数据已删除。',
  },
})

const TONES: Record<Restore['state'], Tone> = { RUNNING: 'warning', DONE: 'good', FAILED: 'bad' }

export function Restores() {
  const t = useTexts(words)
  const { data } = useCall('restores.list')
  if (data === undefined || data.items.length === 0) return null
  return (
    <Box sx={{ mt: 2 }}>
      <Section title={t.title} text={t.text}>
        <Box component="ul" aria-label={t.title} sx={{ listStyle: 'none', m: 0, p: 0 }}>
          {data.items.map((restore) => (
            <Box key={restore.id} component="li" sx={{ py: 1.5, '& + &': { borderTop: 1, borderColor: 'divider' } }}>
              <Item restore={restore} />
            </Box>
          ))}
        </Box>
      </Section>
    </Box>
  )
}

function Item({ restore: { id, kind, name, startedBy, startedAt, state, problem, undo } }: { restore: Restore }) {
  const t = useTexts(words)
  const [isRestarting, setRestarting] = useState(false)
  const subject = name === null ? t.commandLine : kind === 'UNDO' ? t.undoOf(name) : t.restore(name)
  const time = dateTime(startedAt)
  return (
    <>
      <Stack direction="row" useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center', columnGap: 2, rowGap: 0.5 }}>
        <Box sx={{ flex: 1, minWidth: 220 }}>
          <Typography sx={{ fontWeight: 600 }}>{time}</Typography>
          <Typography variant="body2" color="text.secondary" sx={{ overflowWrap: 'anywhere' }}>
            {[subject, startedBy && t.by(startedBy.name)].filter(Boolean).join(' · ')}
          </Typography>
        </Box>
        <Status tone={TONES[state]} text={t.state[state]} />
        {undo && (
          <Box sx={{ display: 'flex', flexWrap: 'wrap' }}>
            <ActionButton
              operation="restores.undo"
              input={{ params: { id }, body: { keepSessions: false } }}
              label={t.undo}
              name={t.undoName(time)}
              icon={<Undo />}
              title={t.undoTitle}
              text={t.undoText}
              action={t.undoAction}
              refreshes={[]}
              onDone={() => setRestarting(true)}
            />
            <ActionButton
              operation="restores.delete"
              input={{ params: { id } }}
              label={t.delete}
              name={t.deleteName(time)}
              icon={<Delete />}
              title={t.deleteTitle}
              text={t.deleteText}
              done={t.deleted}
            />
          </Box>
        )}
      </Stack>
      {problem !== null && (
        <Alert severity="error" sx={{ mt: 1, overflowWrap: 'anywhere' }}>
          {problem}
        </Alert>
      )}
      {isRestarting && <Replacing />}
    </>
  )
}
