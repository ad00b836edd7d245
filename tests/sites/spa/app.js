import { navigate, start } from "./router.js";
import { home } from "./views/home.js";
import { shop } from "./views/shop.js";
import { bike } from "./views/bike.js";
import { basket } from "./views/basket.js";

document.getElementById("nav").innerHTML =
  '<a href="/">Home</a> <a href="/shop">Bikes</a> <a href="/basket">Basket</a>';

/** Goes to a page of the application. */
globalThis.openPage = (path = "/") => navigate(path);

start([
  [/^\/(index\.html)?$/, home],
  [/^\/shop$/, shop],
  [/^\/shop\/(\d+)$/, bike],
  [/^\/basket$/, basket],
]);
