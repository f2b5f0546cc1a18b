/** Whether a chat's title is a word or two, such as what is left of a slash command: what the chat asks says more. */
export const isBare = (title: string): boolean => title.trim().split(/\s+/).length <= 2;
