const find = (selector, inside = document) => inside.querySelector(selector);
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
const make = (tag, className = "", ...inside) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...inside);
  return element;
};
const headingOf = (scope, className, ...inside) => { const cell = make("th", className, ...inside); cell.scope = scope; return cell; };
const buttonOf = (className, act, ...inside) => {
  const button = make("button", className, ...inside);
  button.type = "button";
  button.addEventListener("click", act);
  return button;
};
const mark = (element, name, value) => { if (value) element.setAttribute(name, value); else element.removeAttribute(name); };

// Numbers as the page shows them: with a real minus sign, and zero without any.
const plain = (value, digits = 0) => value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace(/^-(?=[0.,]*$)/, "").replace("-", "−");
const signed = (value, digits) => { const text = plain(value, digits); return value > 0 && /[1-9]/.test(text) ? "+" + text : text; };
const digitsFor = (value) => { const size = Math.abs(value); return size >= 100 || size === 0 ? 0 : Math.max(0, Math.min(4, 2 - Math.floor(Math.log10(size)))); };
const withUnit = (value, unit, digits) => {
  if (unit === "%") return plain(100 * value, digits ?? 0) + "%";
  const text = plain(value, digits ?? digitsFor(value));
  return unit === "$" ? (text.startsWith("−") ? "−$" + text.slice(1) : "$" + text) : `${text} ${unit}`.trimEnd();
};
const many = (count, noun) => `${plain(count)} ${noun}${count === 1 ? "" : noun.endsWith("h") ? "es" : "s"}`;
