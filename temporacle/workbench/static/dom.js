// Making elements. Data reach the page as text nodes and attributes only, never as markup.

const MARGIN = 12; // pixels left around an element that was scrolled to
const SVG = "http://www.w3.org/2000/svg";

/** Return an element: `on*` keys are listeners, `dataset` and `style` are objects, other keys are attributes. */
export function el(tag, attributes = {}, ...children) {
  return build(document.createElement(tag), attributes, children);
}

/** Return an element of a drawing. */
export function svg(tag, attributes = {}, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "style") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** Return a button that does something. */
export function button(words, onclick, attributes = {}) {
  return el("button", { type: "button", onclick, ...attributes }, words);
}

/** Return text that may run in either direction, kept apart from what surrounds it. */
export function data(text, attributes = {}) {
  return el("bdi", attributes, text);
}

/** Return the verdict as a word with its sign; the sign is part of the style. */
export function verdictMark(verdict, words) {
  return el("strong", { class: `verdict ${verdict}` }, words);
}

/** Scroll a container, and nothing around it, until an element in it can be seen. */
export function reveal(element, container) {
  const [box, view] = [element.getBoundingClientRect(), container.getBoundingClientRect()];
  if (box.top < view.top) container.scrollTop -= view.top - box.top + MARGIN;
  else if (box.bottom > view.bottom)
    container.scrollTop += Math.min(box.bottom - view.bottom, box.top - view.top) + MARGIN;
}

/** Run an action after a pause in calls. */
export function afterPause(milliseconds, action) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
}
