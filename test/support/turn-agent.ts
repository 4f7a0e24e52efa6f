// A model agent whose tools are those of the sweep's tool server.

import { modelAgent } from '../../core/agent/llm/llm-agent.ts';
import { httpTools } from './http-tools.ts';
import { TURN_TOOLS } from './turn-life.ts';

export default modelAgent({
  sources: { http: httpTools(process.env['TURN_TOOLS']!, TURN_TOOLS) },
  approver: null,
  memory: null,
});
