import{L as r,N as s}from"./index-hTesDiCb.js";function n({interrupts:a},o){const[t]=a;return t?r(t.interrupt,s(t.toolCall),o):""}export{n as a};
