(function(){"use strict";
var F=[{id:"levain",name:"Country levain",flour:1e3,water:700,salt:20,starter:200,hours:18},{id:"rye",name:"Dark rye",flour:900,water:780,salt:18,starter:350,hours:14},{id:"focaccia",name:"Focaccia",flour:600,water:480,salt:14,starter:90,hours:20}],G={flour:.53,water:1,salt:1.2,starter:.9},K="crumb.bakes";
function E(e){throw new Error(e)}
function s(e,t){var n=F.find(function(r){return r.id===e});return n||E("There is no formula "+String(e)+": listFormulas has their ids"),n}
function n(e,t,r,o){return typeof e=="number"&&e>=r&&e<=o||E(t+" has to be a number from "+r+" to "+o),e}
function d(e,t){var r=new Date(typeof e=="string"&&/^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/.test(e)?e:NaN);return isNaN(r.getTime())&&E(t+" has to be a time such as 2026-03-07T08:00Z"),r}
function i(e){return e.toISOString().slice(0,16)+"Z"}
function l(){return JSON.parse(localStorage.getItem(K)||"[]")}
function m(){return F.map(function(e){return{id:e.id,name:e.name,hours:e.hours}})}
async function a(){return m()}
async function c(e,t){var r=s(e),o=n(t,"loaves",1,100)/2,u={flour:Math.round(r.flour*o),water:Math.round(r.water*o),salt:Math.round(r.salt*o),starter:Math.round(r.starter*o)};return{id:r.id,loaves:t,grams:u}}
async function p(e,t,r=21){var o=s(e),u=d(t,"readyAt"),f=n(r,"celsius",10,35),h=o.hours*3600000*(1+(21-f)*.05);return{mixAt:i(new Date(u-h)),bakeAt:i(new Date(u-3600000)),readyAt:i(u)}}
async function v(e,t="water"){var r=Object.prototype.hasOwnProperty.call(G,t)?G[t]:E("ingredient has to be one of "+Object.keys(G).join(", "));return{ingredient:t,millilitres:Math.round(n(e,"grams",0,1e5)/r)}}
async function y(e,t={}){var r=s(e),o=t&&t.water!==void 0?n(t.water,"changes.water",0,5e3):r.water,u=t&&t.flour!==void 0?n(t.flour,"changes.flour",1,5e3):r.flour;return{percent:Math.round(o/u*100),style:o/u>.75?"wet":o/u>.6?"medium":"stiff"}}
async function b(e,t,r=""){var o={id:l().length+1,formula:s(e).id,readyAt:i(d(t,"readyAt")),note:typeof r=="string"&&r.length<=200?r:E("note has at most 200 characters")};localStorage.setItem(K,JSON.stringify(l().concat([o])));w();return o}
async function g(){return l()}
async function x(e){var t=l(),r=t.findIndex(function(o){return o.id===e});r<0&&E("There is no bake "+String(e));t.splice(r,1);localStorage.setItem(K,JSON.stringify(t));w();return{left:t.length}}
function w(){var e=document.getElementById("bakes");e.textContent="";l().forEach(function(t){var r=document.createElement("li");r.textContent=t.formula+", ready at "+t.readyAt;e.appendChild(r)})}
document.getElementById("app").innerHTML="<h1>Crumb</h1><table><thead><tr><th>Bread</th><th>Hours</th></tr></thead><tbody>"+m().map(function(e){return"<tr><td>"+e.name+"</td><td>"+e.hours+"</td></tr>"}).join("")+'</tbody></table><h2>Your bakes</h2><ul id="bakes"></ul>';
w();
Object.assign(globalThis,{listFormulas:a,scaleFormula:c,planBake:p,toVolume:v,getHydration:y,saveBake:b,listBakes:g});
window.removeBake=x;
})();
