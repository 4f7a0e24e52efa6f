// The parts of a process, each with one job, in the groups in which compose-process.ts ties them together.

import type { BudgetKeeper } from '../governance/budget-keeper.ts';
import type { CapMember } from '../governance/cap-book.ts';
import type { EscalationKeeper } from '../governance/escalation-keeper.ts';
import type { HealthKeeper } from '../governance/health-keeper.ts';
import type { MissionKeeper } from '../governance/mission-keeper.ts';
import type { SecretKeeper } from '../governance/secret-keeper.ts';
import type { Clock } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import type { ApprovalDesk } from './approval-desk.ts';
import type { ApprovalDoor } from './approval-door.ts';
import type { AutomaticRestart } from './automatic-restart.ts';
import type { BudgetRoom } from './budget-room.ts';
import type { EventIntake } from './event-intake.ts';
import type { GovernanceAnswers } from './governance-answers.ts';
import type { GovernanceOrders } from './governance-orders.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { InvocationRunner } from './invocation-runner.ts';
import type { LifecycleCommands } from './lifecycle-commands.ts';
import type { LifecycleDriver } from './lifecycle-driver.ts';
import type { LiveSettings } from './live-settings.ts';
import type { OperatorDesk } from './operator-desk.ts';
import type { Outbox } from './outbox.ts';
import type { ProcessDependencies } from './process-dependencies.ts';
import type { ProcessGuard } from './process-guard.ts';
import type { ProcessJournal } from './process-journal.ts';
import type { ProcessMotion } from './process-motion.ts';
import type { ProcessOrders } from './process-orders.ts';
import type { ProcessWatch } from './process-watch.ts';
import type { QueryDesk } from './query-desk.ts';
import type { Recorder } from './recorder.ts';
import type { RewindDesk } from './rewind-desk.ts';
import type { SelfDesk } from './self-desk.ts';
import type { SelfUndo } from './self-undo.ts';
import type { SettingGoing } from './setting-going.ts';
import type { TriggerDesk } from './trigger-desk.ts';
import type { TriggerGate } from './trigger-gate.ts';
import type { TriggerSet } from './trigger-set.ts';
import type { WaitKeeper } from './wait-keeper.ts';

/** What all others stand on. */
export interface GroundParts {
  readonly definition: ProcessDefinition;
  readonly dependencies: ProcessDependencies;
  readonly clock: Clock;
  readonly journal: ProcessJournal;
  /** Of the journal as it is written now. */
  readonly recorder: () => Recorder;
  readonly guard: ProcessGuard;
  /** Does it when nothing else is being done to the process; rejects when nothing can be. */
  readonly exclusively: (act: () => void | Promise<void>) => Promise<void>;
  readonly caps: CapMember;
  readonly settings: LiveSettings;
  readonly lifecycle: LifecycleDriver;
  readonly onChange: () => void;
}

/** What bounds it. */
export interface GovernanceParts {
  readonly budget: BudgetKeeper;
  readonly mission: MissionKeeper;
  readonly health: HealthKeeper;
  readonly secrets: SecretKeeper;
  readonly escalations: EscalationKeeper;
  readonly room: BudgetRoom;
  readonly answers: GovernanceAnswers;
}

/** What wakes it. */
export interface TriggerParts {
  readonly intake: EventIntake;
  readonly triggers: TriggerSet;
  readonly gate: TriggerGate;
  readonly triggerDesk: TriggerDesk;
}

/** What its agent may know and change of itself. */
export interface SelfParts {
  readonly selfDesk: SelfDesk;
  readonly selfUndo: SelfUndo;
}

/** What becomes of its work. */
export interface WorkParts {
  readonly runner: InvocationRunner;
  readonly waits: WaitKeeper;
  readonly outbox: Outbox;
  readonly queries: QueryDesk;
}

/** What moves it. */
export interface MotionParts {
  readonly heartbeat: Heartbeat;
  readonly restart: AutomaticRestart;
  readonly motion: ProcessMotion;
  readonly commands: LifecycleCommands;
  readonly watch: ProcessWatch;
  readonly going: SettingGoing;
}

/** What people may ask of it. */
export interface PeopleParts {
  readonly orders: ProcessOrders;
  readonly governance: GovernanceOrders;
  readonly desk: OperatorDesk;
  readonly approvals: ApprovalDesk;
  readonly door: ApprovalDoor;
  readonly rewinds: RewindDesk;
}

export interface ProcessParts
  extends GroundParts, GovernanceParts, TriggerParts, SelfParts, WorkParts, MotionParts, PeopleParts {}

/** By which callbacks of one group reach the others: called only once all are there. */
export type Whole = () => ProcessParts;
