/** The form of a gate that needs no account. */

import { TextField } from '@mui/material'

import { useAll } from '../../../api/pages.ts'
import type { Activity, Gate, GateDirections } from '../../../api/types.ts'
import { timeIn } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { FormDialog } from '../../../ui/dialogs.tsx'
import { CheckField, NumberField } from '../../../ui/fields.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import { ManyField } from '../ManyField.tsx'
import { activityWords } from '../words.ts'
import { gateWords } from './gate-words.ts'

const words = texts({
  en: {
    create: 'New gate',
    edit: (name: string) => `Change “${name}”`,
    saved: 'The gate is saved.',
    name: 'Name',
    nameHelp: 'For example: Main entrance',
    lists: 'Check-in lists',
    listsHelp: 'None: all of them',
    entrance: 'Entrance',
    showNames: 'Shows names of visitors',
    showNamesHelp: 'Otherwise the first letter and two asterisks',
    canSearch: 'May look up passes by name',
    canUndo: 'May undo its own scans of the last 15 minutes',
    direction: 'Direction',
    maxDevices: 'Devices that may open the link',
    expiresAt: 'Open until',
    expiresHelp: (time: string) => `Empty: 12 hours after the end of the activity, now ${time}`,
  },
  zh: {
    create: '新建检票口',
    edit: (name: string) => `修改“${name}”`,
    saved: '检票口已保存。',
    name: '名称',
    nameHelp: '例如：正门',
    lists: '签到名单',
    listsHelp: '不选：全部',
    entrance: '入口',
    showNames: '显示来宾姓名',
    showNamesHelp: '否则只显示首字和两个星号',
    canSearch: '可按姓名查找通行证',
    canUndo: '可撤销本检票口 15 分钟内的扫码',
    direction: '方向',
    maxDevices: '可打开链接的设备数',
    expiresAt: '开放至',
    expiresHelp: (time: string) => `留空：活动结束后 12 小时，目前为 ${time}`,
  },
})

interface GateDialogProps {
  activity: Activity
  gate: Gate | undefined
  onCreated: (gate: Gate) => void
  onClose: () => void
}

/** Stands for the entrance among the ids of lists. */
const ENTRANCE = 0
/** A gate stays open so long after the end of the activity (milliseconds). */
const GRACE = 12 * 3_600_000

export default function GateDialog({ activity, gate, onCreated, onClose }: GateDialogProps) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const directions = useTexts(gateWords).directions
  const zone = activity.timeZone
  const lists = useAll('checkInLists.list', { params: { id: activity.id } })
  const form = useForm(
    gate ? 'activityGates.update' : 'activityGates.create',
    {
      name: gate?.name ?? '',
      // Of none of them: it is for all.
      listIds: gate?.listIds?.map((id) => id ?? ENTRANCE) ?? [],
      showNames: gate?.showNames ?? true,
      canSearch: gate?.canSearch ?? true,
      canUndo: gate?.canUndo ?? true,
      direction: gate?.direction ?? ('BOTH' as GateDirections),
      maxDevices: (gate?.maxDevices ?? 5) as number | null,
      expiresAt: gate?.expiresAt ?? null,
    },
    {
      done: t.saved,
      onDone: (saved) => (gate ? onClose() : onCreated(saved)),
      input: ({ listIds, ...values }) => ({
        params: { id: activity.id, ...(gate && { gateId: gate.id }) } as { id: number; gateId: number },
        body: {
          ...values,
          listIds: listIds.length === 0 ? null : listIds.map((id) => (id === ENTRANCE ? null : id)),
          canSearch: values.showNames && values.canSearch,
        },
      }),
    },
  )
  return (
    <FormDialog form={form} title={gate ? t.edit(gate.name) : t.create} action={shared.save} onClose={onClose}>
      <TextField {...form.text('name', { label: t.name, help: t.nameHelp })} autoFocus />
      {((lists.data?.length ?? 0) > 0 || form.values.listIds.length > 0) && (
        <ManyField
          {...form.pick('listIds', { label: t.lists, help: t.listsHelp })}
          choices={[{ id: ENTRANCE, name: t.entrance }, ...(lists.data ?? [])]}
        />
      )}
      <TextField {...form.choice('direction', directions, { label: t.direction })} />
      <CheckField {...form.check('showNames', { label: t.showNames, help: t.showNamesHelp })} />
      {form.values.showNames && <CheckField {...form.check('canSearch', { label: t.canSearch })} />}
      <CheckField {...form.check('canUndo', { label: t.canUndo })} />
      <NumberField {...form.number('maxDevices', { label: t.maxDevices })} />
      <TextField
        {...form.time('expiresAt', {
          label: t.expiresAt,
          help: t.expiresHelp(timeIn(activity.endTime + GRACE, zone)),
          zone,
        })}
      />
    </FormDialog>
  )
}
