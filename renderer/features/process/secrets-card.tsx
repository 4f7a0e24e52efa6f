import { Button } from '@blueprintjs/core';
import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { SecretView } from '../../../core/contract/secret-view.ts';
import { useAnswersOff, useConsole } from '../../app/console-context.ts';
import { Card } from '../../ui/card.tsx';
import { Ago, Until } from '../../ui/time-text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';

const STATUS: Readonly<Record<SecretView['status'], string>> = {
  active: 'active',
  expired: 'expired',
  revoked: 'revoked',
  missing: 'has no value',
};

/** All of its secrets but their values, which no host tells. */
export function SecretsCard({ detail: { row, secrets } }: { readonly detail: ProcessDetail }) {
  const { actions } = useConsole();
  const off = useAnswersOff(row);
  if (secrets.length === 0) return null;
  return (
    <Card
      title="Secrets"
      aside={
        <Button
          size="small"
          variant="minimal"
          disabled={off}
          onClick={() => actions.ask({ kind: 'revoke-secret', row, secret: null })}
        >
          Revoke all…
        </Button>
      }
    >
      <ul className="hf-plain hf-secrets">
        {secrets.map((secret) => (
          <li key={secret.name}>
            <div className="hf-limit-words">
              <strong className="hf-mono">{visibleLine(secret.name)}</strong>
              <span className={secret.status === 'active' ? 'hf-muted' : 'hf-attention-text'}>
                {STATUS[secret.status]}
              </span>
            </div>
            <div className="hf-second">
              from {visibleLine(secret.from)} · <Lasting secret={secret} /> · <LastRead secret={secret} />
            </div>
            {secret.isRotationLost && (
              <div className="hf-second hf-attention-text">
                It was rotated in a host that is gone. What is given is what its source had at the start.
              </div>
            )}
            <div className="hf-buttons hf-card-buttons">
              <Button
                size="small"
                disabled={off}
                aria-label={`Rotate ${visibleLine(secret.name)}…`}
                onClick={() => actions.ask({ kind: 'rotate-secret', row, secret })}
              >
                Rotate…
              </Button>
              <Button
                size="small"
                disabled={off || secret.status === 'revoked'}
                aria-label={`Revoke ${visibleLine(secret.name)}…`}
                onClick={() => actions.ask({ kind: 'revoke-secret', row, secret })}
              >
                Revoke…
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Lasting({ secret: { expiresAt, status } }: { readonly secret: SecretView }) {
  if (expiresAt === null) return <>never expires</>;
  return status === 'expired' ? (
    <>
      expired <Ago at={expiresAt} suffix=" ago" />
    </>
  ) : (
    <>
      expires <Until at={expiresAt} />
    </>
  );
}

function LastRead({ secret: { lastReadAt } }: { readonly secret: SecretView }) {
  if (lastReadAt === null) return <>never read</>;
  return (
    <>
      last read <Ago at={lastReadAt} suffix=" ago" />
    </>
  );
}
