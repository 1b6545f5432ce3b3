/** The shape of a page until its part of the application is loaded. */

import { Box, Card, Skeleton } from '@mui/material'
import { useLocation } from 'react-router'

import { Loading, type Shape } from './Answer.tsx'

/** A page that is not loaded yet. Its address says which shape it will have. */
export function PageSkeleton() {
  const { pathname } = useLocation()
  const shape: Shape = /\/(?:new|edit|print|import|batch)$/.test(pathname)
    ? 'form'
    : /\/\d+(?:\/|$)|^\/account/.test(pathname)
      ? 'text'
      : 'list'
  return (
    <Box sx={{ maxWidth: 1100, width: '100%' }}>
      <Skeleton
        width={220}
        sx={{ fontSize: { xs: '1.375rem', sm: '1.75rem' }, height: 44, transform: 'none', mb: 2 }}
      />
      {shape === 'form' ? (
        <Loading shape={shape} />
      ) : (
        <Card sx={{ p: 2 }}>
          <Loading shape={shape} />
        </Card>
      )}
    </Box>
  )
}
