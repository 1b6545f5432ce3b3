/** The choice of a design in the form of a code. */

import { Box, Button, Card, CardContent, Stack, Typography } from '@mui/material'
import { Link } from 'react-router'

import type { QrCodeDesign } from '../../../api/types.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useMay } from '../../../session/session.ts'
import { ChoiceField } from '../../../ui/fields.tsx'
import type { FieldProps } from '../../../ui/use-form.tsx'

const words = texts({
  en: {
    title: 'Design',
    none: 'None: the look below',
    help: 'A design replaces the look below.',
    manage: 'Designs',
  },
  zh: { title: '外观', none: '无，使用下方样式', help: '选择外观后，下方样式不再生效。', manage: '管理外观' },
})

export interface DesignFieldProps extends Pick<FieldProps<number | null>, 'value' | 'onChange' | 'error'> {
  designs: readonly QrCodeDesign[]
}

export function DesignField({ value, onChange, error, designs }: DesignFieldProps) {
  const t = useTexts(words)
  const may = useMay()
  if (!may('qrCodeDesigns.list')) return null
  return (
    <Card>
      <CardContent component={Stack} spacing={2}>
        <Box sx={{ display: 'flex', alignItems: 'center' }}>
          <Typography variant="h2" sx={{ flex: 1 }}>
            {t.title}
          </Typography>
          <Button size="small" component={Link} to="/codes/looks">
            {t.manage}
          </Button>
        </Box>
        <ChoiceField
          name="designId"
          label={t.title}
          value={value}
          onChange={onChange}
          choices={designs.map(({ id, name }) => ({ id, name }))}
          none={t.none}
          error={error}
          help={t.help}
        />
      </CardContent>
    </Card>
  )
}
