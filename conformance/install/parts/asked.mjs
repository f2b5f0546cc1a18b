// The question that a server draws, and that a page goes on with.

export const interrupt = {
  id: "q1",
  reason: "tool_call",
  message: "<img src=x onerror=alert(1)>",
  toolCallId: "c1",
  responseSchema: { type: "object", properties: { approved: { type: "boolean" }, editedArgs: { type: "object" } }, required: ["approved"] },
};
export const toolCall = { name: "send_email", arguments: '{"to":"ada@example.com","amount":9007199254740993}' };
