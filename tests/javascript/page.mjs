// As much of a browser's page as the modules of the workbench need to be loaded and watched. It lays nothing out.

/** @typedef {Record<string, any>} Fields */

/** An element: a tree of children with attributes, classes and listeners. Sizes are set by the tests. */
export class FakeElement {
  /** @param {string} tag */
  constructor(tag) {
    this.tag = tag;
    /** @type {Map<string, string>} */
    this.attributes = new Map();
    /** @type {(FakeElement | string)[]} */
    this.children = [];
    /** @type {Record<string, string>} */
    this.dataset = {};
    /** @type {Map<string, string>} */
    this.styles = new Map();
    this.style = {
      setProperty: (/** @type {string} */ name, /** @type {string} */ value) => this.styles.set(name, value),
    };
    /** @type {Map<string, ((event: any) => void)[]>} */
    this.listeners = new Map();
    /** @type {Set<string>} */
    this.classes = new Set();
    this.classList = {
      toggle: (/** @type {string} */ name, /** @type {boolean} */ on) =>
        on ? this.classes.add(name) : this.classes.delete(name),
    };
    this.scrollTop = 0;
    this.clientHeight = 0;
    this.offsetHeight = 0;
    this.hidden = false;
    this.isOpen = false;
    this.className = "";
  }

  get textContent() {
    return this.children.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }

  set textContent(/** @type {string} */ text) {
    this.children = text === "" ? [] : [text];
  }

  append(/** @type {(FakeElement | string)[]} */ ...children) {
    this.children.push(...children);
  }

  replaceChildren(/** @type {(FakeElement | string)[]} */ ...children) {
    this.children = children;
  }

  remove() {}

  focus() {
    page.activeElement = this;
  }

  showModal() {
    this.isOpen = true;
  }

  close() {
    this.isOpen = false;
  }

  setAttribute(/** @type {string} */ name, /** @type {unknown} */ value) {
    this.attributes.set(name, String(value));
  }

  getAttribute(/** @type {string} */ name) {
    return this.attributes.get(name) ?? null;
  }

  removeAttribute(/** @type {string} */ name) {
    this.attributes.delete(name);
  }

  addEventListener(/** @type {string} */ name, /** @type {(event: any) => void} */ react) {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), react]);
  }

  /** An element matches a list of selectors that names its tag; that is all the modules ask for here. */
  matches(/** @type {string} */ selectors) {
    return selectors.split(", ").some((each) => each.replace(/\[.*/u, "") === this.tag);
  }

  closest(/** @type {string} */ selector) {
    return selector === "[data-key]" && "key" in this.dataset ? this : null;
  }

  /** Call the listeners of an event, and return the event. */
  fire(/** @type {string} */ name, /** @type {Fields} */ fields = {}) {
    const event = {
      target: this,
      defaultPrevented: false,
      preventDefault() {
        this.defaultPrevented = true;
      },
      stopPropagation() {},
      ...fields,
    };
    for (const react of this.listeners.get(name) ?? []) react(event);
    return event;
  }

  /** Return all elements below this one, in order. */
  *below() {
    for (const child of this.children) {
      if (typeof child === "string") continue;
      yield child;
      /** @type {Generator<FakeElement>} */
      const deeper = child.below();
      yield* deeper;
    }
  }
}

class FakePage extends FakeElement {
  constructor() {
    super("#document");
    this.body = new FakeElement("body");
    /** @type {FakeElement | null} */
    this.activeElement = null;
    this.title = "";
  }

  createElement(/** @type {string} */ tag) {
    return new FakeElement(tag);
  }

  createElementNS(/** @type {string} */ _space, /** @type {string} */ tag) {
    return new FakeElement(tag);
  }

  querySelector(/** @type {string} */ selector) {
    const open = [...this.body.below()].find((each) => each.tag === "dialog" && each.isOpen);
    return selector === "dialog[open]" ? (open ?? null) : null;
  }
}

export const page = new FakePage();

const fakes = {
  document: page,
  location: new URL("http://127.0.0.1:8600/document?id=council&token=t0"),
  history: {
    replaceState(/** @type {unknown} */ _state, /** @type {string} */ _title, /** @type {string} */ address) {
      Object.assign(globalThis, { location: new URL(address, globalThis.location.href) });
    },
  },
  addEventListener: page.addEventListener.bind(page),
  ResizeObserver: class {
    observe() {}
  },
};
Object.assign(globalThis, fakes);

/** Let the address of the page be another one. */
export function moveTo(/** @type {string} */ address) {
  Object.assign(globalThis, { location: new URL(address) });
}

/**
 * Answer requests: `answer(path, options)` gives the status and the body, or throws. Return the list of requests made.
 * @param {(path: string, options: Fields) => [number, unknown]} answer
 */
export function serve(answer) {
  /** @type {{path: string, options: Fields}[]} */
  const asked = [];
  const fetch = async (/** @type {string} */ path, /** @type {Fields} */ options = {}) => {
    asked.push({ path, options });
    const [status, body] = answer(path, options);
    return new Response(typeof body === "string" ? body : JSON.stringify(body), { status });
  };
  Object.assign(globalThis, { fetch });
  return asked;
}
