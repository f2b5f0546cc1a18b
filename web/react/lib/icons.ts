// The page's icons, drawn on a grid of 24 with a line of 2. Each is told by its paths, so that all of them weigh less than a picture.

export const ICONS = {
  alert: "M12 4 3 20h18zM12 10v4.5M12 17.2v.1",
  again: "M4 12a8 8 0 1 1 2.5 5.8M4 19v-4.5h4.5",
  back: "M19 12H5M11 6l-6 6 6 6",
  check: "m5 12.5 4.5 4.5L19 7.5",
  clip: "M20 11.5 11.8 19.7a5 5 0 0 1-7-7L13 4.5a3.3 3.3 0 0 1 4.7 4.7l-8.3 8.2a1.7 1.7 0 0 1-2.4-2.4l7.6-7.5",
  close: "M6 6l12 12M18 6 6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  chats: "M4 6h16M4 12h16M4 18h10",
  settings: "M4 8h9M19 8h1M4 16h1M11 16h9M16 5.5v5M8 13.5v5",
  next: "M5 12h14M13 6l6 6-6 6",
  plus: "M12 5v14M5 12h14",
  question: "M9 9.5a3 3 0 1 1 4.4 2.6c-.9.5-1.4 1-1.4 2.2M12 17.6v.1",
  refuse: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM6.4 6.4l11.2 11.2",
  retry: "M19 5v5h-5M19 10A7.5 7.5 0 1 0 19.5 14",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  tool: "M14.5 6.5a4 4 0 0 1 5-1.8L17 7.2V9h1.8l2.5-2.5a4 4 0 0 1-5.3 5L8.5 19a2.1 2.1 0 0 1-3-3L13 8.5",
  wait: "M12 4a8 8 0 1 1-7.4 5",
  pen: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
} as const;

export type IconName = keyof typeof ICONS;
