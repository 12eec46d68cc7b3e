// Making elements. Data reach the page as text nodes and attributes only, never as markup.

/**
 * @typedef {Node | string | false | null | undefined | Child[]} Child
 * @typedef {Record<string, any>} Attributes
 */

const MARGIN = 12; // pixels left around an element that was scrolled to
const SVG = "http://www.w3.org/2000/svg";

/**
 * Return an element: `on*` keys are listeners, `dataset` and `style` are objects, other keys are attributes.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 */
export function el(tag, attributes = {}, ...children) {
  return build(document.createElement(tag), attributes, children);
}

/**
 * Return an element of a drawing.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 */
export function svg(tag, attributes = {}, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * @template {HTMLElement | SVGElement} Made
 * @param {Made} element
 * @param {Attributes} attributes
 * @param {Child[]} children
 */
function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "style") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
    else element.setAttribute(name, value === true ? "" : value);
  }
  const nested = /** @type {any[]} */ (children);
  const flat = /** @type {Exclude<Child, Child[]>[]} */ (nested.flat(Infinity));
  element.append(...flat.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/**
 * Return a button that does something.
 * @param {Child} words
 * @param {(event: MouseEvent) => unknown} onclick
 * @param {Attributes} [attributes]
 */
export function button(words, onclick, attributes = {}) {
  return el("button", { type: "button", onclick, ...attributes }, words);
}

/**
 * Return text that may run in either direction, kept apart from what surrounds it.
 * @param {string} text
 * @param {Attributes} [attributes]
 */
export function data(text, attributes = {}) {
  return el("bdi", attributes, text);
}

/**
 * Return the verdict as a word with its sign; the sign is part of the style.
 * @param {string} verdict
 * @param {string} words
 */
export function verdictMark(verdict, words) {
  return el("strong", { class: `verdict ${verdict}` }, words);
}

/**
 * Scroll a container, and nothing around it, until an element in it can be seen, its top at least.
 * @param {Element} element
 * @param {Element} container
 */
export function reveal(element, container) {
  const [box, view] = [element.getBoundingClientRect(), container.getBoundingClientRect()];
  if (box.top < view.top) container.scrollTop -= view.top - box.top + MARGIN;
  else if (box.bottom > view.bottom)
    container.scrollTop += Math.min(box.bottom - view.bottom + MARGIN, box.top - view.top - MARGIN);
}

/**
 * Run an action after a pause in calls.
 * @template {unknown[]} Values
 * @param {number} milliseconds
 * @param {(...values: Values) => unknown} action
 * @returns {(...values: Values) => void}
 */
export function afterPause(milliseconds, action) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
}
