/**
 * Warns of the address of the server before codes, labels, posters and passes are printed, downloaded or exported: on the pages and dialogs that
 * do it, and once more when it begins. Nothing is refused.
 */

import {
  Alert,
  type AlertProps,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  Typography,
} from '@mui/material'
import { type ReactNode, useId, useState } from 'react'
import { Link } from 'react-router'

import { type ReachProblem, reachProblems } from '#lib/reach.ts'

import { call } from '../api/client.ts'
import { useCall } from '../api/hooks.ts'
import { common } from '../i18n/common.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useMay } from '../session/session.ts'

const words = texts({
  en: {
    ...common.en,
    problems: {
      LOOPBACK: 'Only the computer of the server can open it: codes do not work on phones.',
      PRIVATE: 'Only devices in the same network can open it: codes do not work anywhere else.',
      SINGLE_LABEL: 'It is a short name that only some devices in the same network know.',
      PLAIN_HTTP: 'It has no encryption (http): phones then allow neither camera nor position.',
    },
    text: (address: string, problems: string) => `Codes of this server lead to ${address}. ${problems}`,
    keep: 'Printed codes keep this address. If it may change, change it before you print.',
    title: 'Print with this address?',
    anyway: 'Print anyway',
    change: 'Change the address',
  },
  zh: {
    ...common.zh,
    problems: {
      LOOPBACK: '只有服务器本机能打开，手机无法使用这些二维码。',
      PRIVATE: '只有同一网络中的设备能打开，在其他地方无法使用这些二维码。',
      SINGLE_LABEL: '这是短名称，只有同一网络中的部分设备能识别。',
      PLAIN_HTTP: '该地址没有加密（http），手机不允许使用摄像头和定位。',
    },
    text: (address: string, problems: string) => `此服务器的二维码指向 ${address}。${problems}`,
    keep: '印出的二维码会一直使用此地址。如果地址可能变更，请先更改再打印。',
    title: '使用此地址打印？',
    anyway: '仍要打印',
    change: '更改地址',
  },
})

/** The page of administrators with the address. */
const ADDRESS_PAGE = '/admin/address'
/** The address with which the user printed anyway, until the page is loaded again. */
let accepted: string | undefined

/** The public address and its problems, in words. Undefined if it has none, or as long as the address is unknown. */
function useAddressProblem(): { readonly address: string; readonly text: string } | undefined {
  const t = useTexts(words)
  const { data } = useCall('server.get')
  const problems: readonly ReachProblem[] = data === undefined ? [] : reachProblems(data.publicUrl)
  if (data === undefined || problems.length === 0) return undefined
  return { address: data.publicUrl, text: t.text(data.publicUrl, problems.map((one) => t.problems[one]).join(' ')) }
}

/** For lists of hints, which have buttons of their own. */
export const useAddressText = (): string | undefined => useAddressProblem()?.text

/** For administrators who may change the address. */
export function ChangeAddress({ onClick }: { onClick?: () => void }) {
  const t = useTexts(words)
  const may = useMay()
  if (!may('server.checks.start')) return null
  return (
    <Button color="inherit" size="small" component={Link} to={ADDRESS_PAGE} {...(onClick && { onClick })}>
      {t.change}
    </Button>
  )
}

/** Above the buttons that print, download or send codes with the address of the server. */
export function AddressWarning(props: Pick<AlertProps, 'sx'>) {
  const text = useAddressText()
  if (text === undefined) return null
  return (
    <Alert severity="warning" action={<ChangeAddress />} {...props}>
      {text}
    </Alert>
  )
}

interface Printing {
  /**
   * Runs `print` at once, or asks before if the address of the server is a bad one to print.
   *
   * @param contents Of the codes. Those that do not lead to the server need no question. Undefined: they may.
   */
  readonly ask: (print: () => void, contents?: readonly string[]) => void
  /** To be drawn by the component. */
  readonly question: ReactNode
  /** For codes that the browser draws: the server counts the pictures that it draws itself. */
  readonly report: (contents: readonly string[]) => void
}

/** The largest number of one report. */
const MAX_REPORTED = 2000

export function usePrinting(): Printing {
  const { data } = useCall('server.get')
  const problem = useAddressProblem()
  const [waiting, setWaiting] = useState<{ readonly print: () => void }>()
  const leadHere = (contents: readonly string[]): number =>
    data === undefined ? 0 : contents.filter((one) => leadsTo(one, data.publicUrl)).length
  return {
    ask: (print, contents) => {
      const isFine = problem === undefined || accepted === problem.address
      if (isFine || (contents !== undefined && leadHere(contents) === 0)) print()
      else setWaiting({ print })
    },
    question: waiting && problem && (
      <Question
        text={problem.text}
        onPrint={() => {
          accepted = problem.address
          waiting.print()
        }}
        onClosed={() => setWaiting(undefined)}
      />
    ),
    report: (contents) => {
      const things = Math.min(leadHere(contents), MAX_REPORTED)
      // Printing goes on without a connection.
      if (things > 0) call('server.printed', { body: { things } }).catch(() => undefined)
    },
  }
}

const leadsTo = (content: string, address: string): boolean =>
  content.toLowerCase().startsWith(`${address.toLowerCase()}/`)

/** Prints when it has disappeared, because it would be on the paper. */
function Question({ text, onPrint, onClosed }: { text: string; onPrint: () => void; onClosed: () => void }) {
  const t = useTexts(words)
  const id = useId()
  const [answer, setAnswer] = useState<'cancel' | 'print'>()
  return (
    <Dialog
      open={answer === undefined}
      onClose={() => setAnswer('cancel')}
      fullWidth
      maxWidth="xs"
      aria-labelledby={id}
      slotProps={{
        transition: {
          onExited: () => {
            onClosed()
            if (answer === 'print') onPrint()
          },
        },
      }}
    >
      <DialogTitle id={id}>{t.title}</DialogTitle>
      <DialogContent>
        <Typography sx={{ overflowWrap: 'anywhere', mb: 1 }}>{text}</Typography>
        <Typography>{t.keep}</Typography>
      </DialogContent>
      <DialogActions>
        <ChangeAddress onClick={() => setAnswer('cancel')} />
        <Button onClick={() => setAnswer('cancel')} autoFocus>
          {t.cancel}
        </Button>
        <Button variant="contained" onClick={() => setAnswer('print')}>
          {t.anyway}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
