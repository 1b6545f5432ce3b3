/** Scans assets into a stock-taking: with the camera, a handheld scanner or by typing. */

import { Keyboard, PhotoCamera } from '@mui/icons-material'
import { Badge, Button, Card, CardContent, Collapse, Stack, TextField, Typography } from '@mui/material'
import { type FormEvent, useState } from 'react'

import type { AssetCondition, Inventory } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { askForPersistence } from '../../browser/persistence.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useOwner, useOwnerQuery } from '../../session/session.ts'
import { ChoiceField } from '../../ui/fields.tsx'
import { Scanner } from '../../ui/Scanner.tsx'
import { useHandheldScanner } from '../../ui/use-handheld-scanner.ts'
import { FilesInput } from './fields/FilesInput.tsx'
import type { FileItem } from './fields/model.ts'
import { LocationPicker } from './inputs.tsx'
import { useLocations } from './places.ts'
import { type ScanBody, useScanOutbox } from './scan-outbox.ts'
import { ScanResults } from './ScanResults.tsx'
import { CONDITIONS, useCondition } from './words.ts'

const words = texts({
  en: {
    title: 'Scan',
    camera: 'Use the camera',
    stop: 'Stop the camera',
    location: 'Where you are',
    locationHelp: 'Kept for the next scans. You can scan the code of a location.',
    here: (path: string) => `You are at: ${path}`,
    code: 'Asset number, serial number or address',
    enter: 'Enter',
    details: 'Condition, note, photo',
    condition: 'Condition',
    any: 'Not recorded',
    note: 'Note',
    photo: 'Photo',
    detailsHelp: 'Recorded with the next scan.',
  },
  zh: {
    title: '扫描',
    camera: '使用摄像头',
    stop: '关闭摄像头',
    location: '所在位置',
    locationHelp: '后续扫描沿用此位置，也可扫描位置的码。',
    here: (path: string) => `当前位置：${path}`,
    code: '资产编号、序列号或链接',
    enter: '录入',
    details: '状况、备注、照片',
    condition: '状况',
    any: '不记录',
    note: '备注',
    photo: '照片',
    detailsHelp: '随下一次扫描一起记录。',
  },
})

/** The parts of the next scan. */
interface Next {
  readonly code: string
  readonly locationId: number | null
  readonly condition: AssetCondition | null
  readonly note: string
  readonly photos: readonly FileItem[]
}

/** The code of a location, which says where the user is. */
const LOCATION_CODE = /^https?:\/\/[^/]+\/s\/location\/([\da-f-]{36})\/?$/i

const EMPTY: Next = { code: '', locationId: null, condition: null, note: '', photos: [] }

export function InventoryScan({ inventory }: { inventory: Inventory }) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const owner = useOwner()
  const [isOn, setOn] = useState(false)
  const [next, setNext] = useState(EMPTY)
  const set = (part: Partial<Next>) => setNext((now) => ({ ...now, ...part }))
  const locations = useLocations()
  const outbox = useScanOutbox(inventory.id)

  const send = (text: string, isTyped = false) => {
    const typed = text.trim()
    if (typed === '') return
    const place = locations.find(({ node }) => node.uuid === LOCATION_CODE.exec(typed)?.[1]?.toLowerCase())
    if (place !== undefined) {
      setNext((now) => ({ ...now, code: '', locationId: place.id }))
      return notify(t.here(place.path), 'success')
    }
    askForPersistence()
    const { locationId, condition, note, photos } = next
    const [photo] = photos
    // They belong to this scan, not to one that follows before the answer.
    setNext({ ...EMPTY, locationId })
    const restore = () =>
      setNext((now) => ({
        ...now,
        code: now.code || (isTyped ? typed : ''),
        note: now.note || note,
        condition: now.condition ?? condition,
        photos: now.photos.length === 0 ? photos : now.photos,
      }))
    const body: ScanBody = {
      code: typed,
      note,
      ...(locationId !== null && { locationId }),
      ...(condition !== null && { condition }),
      ...(photo !== undefined && { photoFileId: photo.fileId }),
    }
    outbox.add({ query: owned, body }, restore)
  }
  useHandheldScanner((text) => send(text))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send(next.code, true)
  }
  return (
    <Card variant="outlined">
      <CardContent>
        <Stack spacing={2}>
          <Typography variant="h2">{t.title}</Typography>
          {owner !== null && (
            <LocationPicker
              label={t.location}
              help={t.locationHelp}
              value={next.locationId}
              onChange={(locationId) => set({ locationId })}
            />
          )}
          {isOn && <Scanner onCode={(text) => send(text)} />}
          <Button
            variant={isOn ? 'outlined' : 'contained'}
            size="large"
            startIcon={<PhotoCamera />}
            onClick={() => setOn(!isOn)}
          >
            {isOn ? t.stop : t.camera}
          </Button>
          <Stack component="form" direction="row" spacing={1} onSubmit={submit}>
            <TextField
              label={t.code}
              value={next.code}
              onChange={(event) => set({ code: event.target.value })}
              sx={{ flex: 1 }}
              slotProps={{ htmlInput: { autoCapitalize: 'off', autoComplete: 'off' } }}
            />
            {/* It stays enabled: Enter in the field would do nothing otherwise. */}
            <Badge badgeContent={outbox.waiting.length} color="primary">
              <Button type="submit" variant="outlined">
                {t.enter}
              </Button>
            </Badge>
          </Stack>
          <ScanResults outbox={outbox} />
          <Details next={next} onChange={setNext} />
        </Stack>
      </CardContent>
    </Card>
  )
}

interface DetailsProps {
  next: Next
  onChange: (change: (now: Next) => Next) => void
}

function Details({ next: { condition, note, photos }, onChange }: DetailsProps) {
  const t = useTexts(words)
  const word = useCondition()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        size="small"
        startIcon={<Keyboard />}
        sx={{ alignSelf: 'flex-start' }}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {t.details}
      </Button>
      <Collapse in={isOpen} unmountOnExit>
        <Stack spacing={2}>
          <Typography variant="body2" color="text.secondary">
            {t.detailsHelp}
          </Typography>
          <ChoiceField
            label={t.condition}
            value={condition}
            none={t.any}
            choices={CONDITIONS.map((id) => ({ id, name: word(id) }))}
            onChange={(chosen) => onChange((now) => ({ ...now, condition: chosen }))}
          />
          <TextField
            label={t.note}
            multiline
            value={note}
            onChange={({ target }) => onChange((now) => ({ ...now, note: target.value }))}
          />
          <FilesInput
            label={t.photo}
            isPhotos
            max={1}
            value={photos}
            onChange={(change) => onChange((now) => ({ ...now, photos: change(now.photos) }))}
          />
        </Stack>
      </Collapse>
    </>
  )
}
