import { Component, type ReactNode } from 'react';
import { codeOf, messageOf } from '../../core/model/errors.ts';

interface State {
  readonly error: unknown;
  readonly failed: boolean;
}

/** The last resort: a fault of the console itself. Nothing that a journal holds ends here. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: null, failed: false };

  static getDerivedStateFromError(error: unknown): State {
    return { error, failed: true };
  }

  override render(): ReactNode {
    const { error, failed } = this.state;
    if (!failed) return this.props.children;
    return (
      <div className="hf-crash" role="alert">
        <h1>The console failed to draw this view</h1>
        <p>
          This is a fault of the console. Your processes and journals are not touched by it: they belong to
          the host, which goes on. Reloading comes back to the same view.
        </p>
        <p>
          <code className="hf-mono">
            {codeOf(error)}: {messageOf(error)}
          </code>
        </p>
        <div className="hf-buttons">
          <button
            type="button"
            className="bp6-button bp6-intent-primary"
            onClick={() => window.location.reload()}
          >
            Reload
          </button>
          <button
            type="button"
            className="bp6-button"
            onClick={() => {
              window.location.hash = '#/';
              window.location.reload();
            }}
          >
            Reload and go to the fleet
          </button>
        </div>
      </div>
    );
  }
}
