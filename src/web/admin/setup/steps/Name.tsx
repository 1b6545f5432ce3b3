import { useCall } from '../../../api/hooks.ts'
import { Answer } from '../../../ui/Answer.tsx'
import { IdentityForm } from '../../site/IdentityForm.tsx'
import type { StepProps } from '../step.tsx'

export function Name({ step }: { step: StepProps }) {
  const query = useCall('server.values', {})
  return <Answer query={query}>{({ identity }) => <IdentityForm identity={identity} step={step} />}</Answer>
}
