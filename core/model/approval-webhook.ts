/** Where decisions about approvals and questions of a process may be sent to, signed. */
export interface ApprovalWebhook {
  readonly host: string;
  /** 1025 to 65535. */
  readonly port: number;
  /** What they are signed with. Never in a journal, a log or the contract. */
  readonly secret: string;
  /** How old a signature may be. */
  readonly toleranceMs: number;
  /** Addresses and CIDR ranges of who may send; empty for anybody. */
  readonly allowedSources: readonly string[];
}
