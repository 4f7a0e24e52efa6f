import { defineAgent } from 'holdfast';

const SUBJECTS = [
  'Invoice overdue',
  'Lunch on Friday?',
  'URGENT: server down',
  '\uFFFD\uFFFD\uFFFD',
] as const;

export default defineAgent({
  async onTrigger(ctx) {
    const seen = await ctx.state.update<number>('mails_seen', (count) => (count ?? 0) + 1);
    const subject = SUBJECTS[(seen - 1) % SUBJECTS.length]!;
    if (subject.includes('\uFFFD')) throw new Error(`mail ${seen} has an encoding that can't be read`);
    if (subject.startsWith('URGENT')) await ctx.state.update<number>('urgent', (count) => (count ?? 0) + 1);
    return `mail ${seen}: ${subject}`;
  },
});
