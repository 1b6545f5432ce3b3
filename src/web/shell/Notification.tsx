/** Messages at the bottom of the page. On phones they stay above the navigation. */

import { Notification as RaNotification } from 'react-admin'

export const Notification = () => (
  <RaNotification
    autoHideDuration={5_000}
    anchorOrigin={{ vertical: 'bottom', horizontal: 'center' }}
    sx={{ bottom: { xs: 'calc(72px + env(safe-area-inset-bottom))', sm: 24 }, whiteSpace: 'pre-line' }}
  />
)
