import{K as r,L as s}from"./index-Dw1Ot_aP.js";function n({interrupts:a},o){const[t]=a;return t?r(t.interrupt,s(t.toolCall),o):""}export{n as a};
