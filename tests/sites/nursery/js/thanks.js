const order = JSON.parse(localStorage.getItem("fenwick.order"));

document.querySelector("[role=status]").textContent = order
  ? `Your order is ${order.number}, ${order.total.toFixed(2)} €.`
  : "Nothing was ordered.";

window.getOrder = async () => order;
