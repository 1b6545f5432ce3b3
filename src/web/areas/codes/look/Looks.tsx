/** Designs of the workspace as tiles, and the form of the one that is chosen. */

import { Add, DeleteOutlined, Palette } from '@mui/icons-material'
import { Box, Button, Card, CardActionArea, Chip, Stack, Typography } from '@mui/material'
import { useState } from 'react'
import { useSearchParams } from 'react-router'

import { useAction } from '../../../api/hooks.ts'
import type { QrCodeDesign } from '../../../api/types.ts'
import { useTexts } from '../../../i18n/words.ts'
import { useMay, useOwnerQuery } from '../../../session/session.ts'
import { Answer, EmptyState } from '../../../ui/Answer.tsx'
import { ConfirmDialog } from '../../../ui/dialogs.tsx'
import { Page } from '../../../ui/Page.tsx'
import { DesignPicture } from './DesignPicture.tsx'
import { useDesigns } from './designs.ts'
import { valuesOf } from './look-values.ts'
import { lookWords } from './look-words.ts'
import { LookForm } from './LookForm.tsx'

export default function Looks() {
  const t = useTexts(lookWords)
  const may = useMay()
  const query = useDesigns()
  const [params, setParams] = useSearchParams()
  const chosen = params.get('design')
  const choose = (id: number | 'new' | null) => setParams(id === null ? {} : { design: String(id) }, { replace: true })
  const [deleting, setDeleting] = useState<QrCodeDesign>()
  return (
    <Page
      title={t.title}
      back="/codes"
      actions={
        may('qrCodeDesigns.create') && (
          <Button variant="contained" startIcon={<Add />} onClick={() => choose('new')} data-create>
            {t.create}
          </Button>
        )
      }
    >
      <Typography color="text.secondary" sx={{ mb: 2 }}>
        {t.intro}
      </Typography>
      <Answer query={query}>
        {({ items }) => {
          const design = items.find(({ id }) => String(id) === chosen)
          return (
            <>
              {items.length === 0 && chosen !== 'new' ? (
                <EmptyState icon={Palette} title={t.none} />
              ) : (
                <Tiles designs={items} chosen={design?.id} onChoose={choose} />
              )}
              {(design !== undefined || (chosen === 'new' && may('qrCodeDesigns.create'))) && (
                <LookForm key={design?.id ?? 'new'} design={design} onDone={({ id }) => choose(id)} />
              )}
              {design !== undefined && may('qrCodeDesigns.delete') && (
                <Button color="error" startIcon={<DeleteOutlined />} sx={{ mt: 1 }} onClick={() => setDeleting(design)}>
                  {t.delete}
                </Button>
              )}
            </>
          )
        }}
      </Answer>
      {deleting && (
        <DeleteDesign
          design={deleting}
          onClose={(isDeleted) => {
            setDeleting(undefined)
            if (isDeleted) choose(null)
          }}
        />
      )}
    </Page>
  )
}

interface TilesProps {
  designs: readonly QrCodeDesign[]
  chosen: number | undefined
  onChoose: (id: number) => void
}

function Tiles({ designs, chosen, onChoose }: TilesProps) {
  const t = useTexts(lookWords)
  return (
    <Box
      component="ul"
      aria-label={t.designs}
      sx={{
        listStyle: 'none',
        p: 0,
        m: 0,
        mb: 3,
        display: 'grid',
        gap: 1.5,
        gridTemplateColumns: { xs: 'repeat(2, minmax(0, 1fr))', sm: 'repeat(auto-fill, minmax(160px, 1fr))' },
      }}
    >
      {designs.map((design) => (
        <Card
          key={design.id}
          component="li"
          variant="outlined"
          sx={
            chosen === design.id
              ? { borderColor: 'primary.main', boxShadow: '0 0 0 1px currentColor', color: 'primary.main' }
              : {}
          }
        >
          <CardActionArea
            aria-current={chosen === design.id}
            onClick={() => onChoose(design.id)}
            sx={{ p: 1.5, height: '100%', color: 'text.primary' }}
          >
            <DesignPicture
              content={`${location.origin}/q/23456789`}
              look={valuesOf(design).look}
              alt=""
              width={96}
              sx={{ mx: 'auto', mb: 1 }}
            />
            <Typography sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{design.name}</Typography>
            <Stack direction="row" spacing={1} sx={{ alignItems: 'center', flexWrap: 'wrap' }} useFlexGap>
              <Typography variant="body2" color="text.secondary">
                {t.codes(design.codeCount)}
              </Typography>
              {design.isDefault && <Chip size="small" label={t.isDefault} />}
            </Stack>
          </CardActionArea>
        </Card>
      ))}
    </Box>
  )
}

function DeleteDesign({ design, onClose }: { design: QrCodeDesign; onClose: (isDeleted: boolean) => void }) {
  const t = useTexts(lookWords)
  const owned = useOwnerQuery()
  const remove = useAction('qrCodeDesigns.delete', {
    done: t.deleted,
    refreshes: ['qrCodeDesigns.list', 'qrCodes'],
    quiet: true,
    onDone: () => onClose(true),
  })
  return (
    <ConfirmDialog
      isOpen
      title={t.deleteTitle(design.name)}
      text={t.deleteText(design.codeCount)}
      action={t.delete}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params: { id: design.id }, query: { ...owned, force: true } })}
      onClose={() => onClose(false)}
    />
  )
}
