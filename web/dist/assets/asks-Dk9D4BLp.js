import{E as r,F as s}from"./index-Ovx-YYUb.js";function n({interrupts:a},o){const[t]=a;return t?r(t.interrupt,s(t.toolCall),o):""}export{n as a};
