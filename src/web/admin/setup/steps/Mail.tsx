import { useCall } from '../../../api/hooks.ts'
import { Answer } from '../../../ui/Answer.tsx'
import { MailSection } from '../../site/MailSection.tsx'
import type { StepProps } from '../step.tsx'

export function Mail({ step }: { step: StepProps }) {
  const query = useCall('server.values', {})
  return <Answer query={query}>{({ mail }) => <MailSection mail={mail} step={step} />}</Answer>
}
