/** The steps of an import of assets or supplies: the file, its columns and options, and the result of the check. */

import { Stack } from '@mui/material'
import type { ReactNode } from 'react'

import type { AssetImportResult, SupplyImportResult } from '../../api/types.ts'
import { ColumnsCard, Preview, type Targets } from '../../ui/import-columns.tsx'
import { Checked, FileCard } from '../../ui/imports.tsx'
import type { Form } from '../../ui/use-form.tsx'
import type { ImportKind, ImportValues } from './import-values.ts'
import { SavedMapping, SaveMapping } from './ImportMapping.tsx'
import { EncodingNotice, FirstRows, Warnings } from './ImportReading.tsx'
import { UnknownWords } from './ImportWords.tsx'

export interface Steps {
  readonly form: Form<ImportValues>
  readonly sent: number | undefined
  choose(file: File | undefined, part?: Partial<ImportValues>): void
  check(part?: Partial<ImportValues>): void
  write(): void
}

interface Props {
  kind: ImportKind
  /** Of `useImport`. */
  steps: Steps
  /** Undefined before a file was checked. */
  result: AssetImportResult | SupplyImportResult | undefined
  targets: Targets
  /** The files that are accepted, in words. */
  help: string
  /** Beside the button that chooses the file. */
  action: ReactNode
  /** Below the columns. */
  notice?: ReactNode
  options: ReactNode
  /** The words on the button that imports, by default with the number of rows. */
  button?: string
}

export function ImportSteps({ kind, steps, result, targets, help, action, notice, options, button }: Props) {
  const { form, sent, choose, check, write } = steps
  return (
    <Stack spacing={2}>
      <FileCard
        help={help}
        accept=".xlsx,.xlsm,.csv,.txt"
        action={action}
        file={form.values.file}
        sent={sent}
        error={result === undefined ? form.error : null}
        // The sheet, header and encoding belong to the file before. A corrected file has the same columns.
        onChoose={(file) => choose(file, { sheet: '', headerRow: null, headerRows: null, encoding: null })}
      />
      {result !== undefined && (
        <>
          <ColumnsCard
            form={form}
            result={result}
            targets={targets}
            reading={
              <>
                <SavedMapping kind={kind} check={result} form={form} onUse={check} />
                <EncodingNotice
                  result={result}
                  file={form.values.file}
                  isBusy={form.isBusy}
                  onChoose={(encoding) => check({ encoding })}
                />
                <FirstRows
                  result={result}
                  isBusy={form.isBusy}
                  onChoose={(headerRow) => check({ headerRow, headerRows: null })}
                />
              </>
            }
            notices={
              <>
                {notice}
                <UnknownWords result={result} maps={form.values.maps} onChange={(maps) => form.set({ maps })} />
              </>
            }
            onCheck={() => check({})}
          >
            {options}
            <SaveMapping kind={kind} check={result} form={form} />
          </ColumnsCard>
          <Checked
            form={form}
            result={result}
            action={button}
            preview={
              <>
                <Warnings result={result} />
                <Preview rows={result.preview} targets={targets} />
              </>
            }
            onImport={write}
          />
        </>
      )}
    </Stack>
  )
}
