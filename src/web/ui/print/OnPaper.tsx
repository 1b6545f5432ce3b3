/** Content for the printer only: outside the page, which is not printed. */

import { Box, GlobalStyles, Portal } from '@mui/material'
import type { ReactNode } from 'react'

import { type Paper, PAPERS } from './sheet.ts'

/** The children have the size of the paper themselves, because the page has no margins. */
export function OnPaper({ paper, children }: { paper: Paper; children: ReactNode }) {
  return (
    <>
      <GlobalStyles
        styles={{
          '@page': { size: `${PAPERS[paper][0]}mm ${PAPERS[paper][1]}mm`, margin: 0 },
          // A dialog that prints is outside the page too.
          '@media print': {
            '#root, .MuiDialog-root': { display: 'none !important' },
            'html, body': { background: '#fff', margin: 0 },
          },
        }}
      />
      <Portal>
        <Box sx={{ display: 'none', '@media print': { display: 'block' } }}>{children}</Box>
      </Portal>
    </>
  )
}
