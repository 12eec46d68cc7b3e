// A second checker of Temporacle's certificates, written from docs/checker.md alone. It has no dependencies.
//
//     node checker.js CERTIFICATE...        in Node.js; see USAGE below
//     TemporacleChecker.check(bytes)        in a page that loads it as a plain script: {valid, reason, claim, ...}
//
// A certificate goes through three stages: strict JSON (objects become Maps, so that no name of an entity is special),
// the form (a schema that also converts), and the claim. Sets of atoms are bit masks. The sections have the names and the
// order of the files of the first checker (temporacle/checker); kernel, refutations and claims are enough to follow how
// an inconsistent document without dates is checked.
"use strict";

const TemporacleChecker = (() => {
  class Rejection extends Error {}

  /**
   * @param {any} condition
   * @param {string} reason
   * @returns {asserts condition}
   */
  function require(condition, reason) {
    if (!condition) throw new Rejection(reason);
  }

  // --- kernel: JSON, integers only, no key twice, limited depth ------------------------------------------------------

  const DEEPEST = 32; // valid certificates have at most ten levels
  const MOST_DIGITS = 25; // of 10^24, the largest number that can occur

  function decode(bytes) {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw new Rejection("not UTF-8");
    }
  }

  function readJson(text) {
    let at = 0;

    function wrong(what) {
      throw new Rejection(`not JSON: ${what} at character ${at}`);
    }

    function skipBlanks() {
      for (;;) {
        const code = text.charCodeAt(at);
        if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
        at++;
      }
    }

    function word(name, value) {
      if (!text.startsWith(name, at)) wrong("an unknown word");
      at += name.length;
      return value;
    }

    function number() {
      const begin = at;
      if (text[at] === "-") at++;
      const first = at;
      while (text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at++;
      const digits = at - first;
      if (!digits) wrong("a bad number");
      if (digits > 1 && text[first] === "0") wrong("a leading zero");
      if (text[at] === "." || text[at] === "e" || text[at] === "E") wrong("a number that is not an integer");
      if (digits > MOST_DIGITS) wrong("a huge number");
      const written = text.slice(begin, at);
      return digits <= 15 ? Number(written) + 0 : BigInt(written); // + 0: there is no -0
    }

    const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

    function string() {
      let found = "";
      let begin = ++at;
      for (;;) {
        const code = text.charCodeAt(at);
        if (code === 34) {
          found += text.slice(begin, at++);
          return found;
        }
        if (code === 92) {
          found += text.slice(begin, at);
          const letter = text[at + 1];
          if (letter === "u") {
            const hex = text.slice(at + 2, at + 6);
            if (!/^[0-9a-fA-F]{4}$/.test(hex)) wrong("a bad escape");
            found += String.fromCharCode(parseInt(hex, 16));
            at += 6;
          } else {
            if (letter === undefined || !Object.hasOwn(ESCAPES, letter)) wrong("a bad escape");
            found += ESCAPES[letter];
            at += 2;
          }
          begin = at;
        } else if (code < 32 || Number.isNaN(code)) {
          wrong("an open text or a control character");
        } else {
          at++;
        }
      }
    }

    function value(depth) {
      if (depth > DEEPEST) wrong("too deep");
      skipBlanks();
      const first = text[at];
      if (first === "{") return object(depth);
      if (first === "[") return array(depth);
      if (first === '"') return string();
      if (first === "t") return word("true", true);
      if (first === "f") return word("false", false);
      if (first === "n") return word("null", null);
      return number();
    }

    function array(depth) {
      const found = [];
      at++;
      skipBlanks();
      if (text[at] === "]") return (at++, found);
      for (;;) {
        found.push(value(depth + 1));
        skipBlanks();
        const next = text[at++];
        if (next === "]") return found;
        if (next !== ",") wrong("no comma");
      }
    }

    function object(depth) {
      const found = new Map();
      at++;
      skipBlanks();
      if (text[at] === "}") return (at++, found);
      for (;;) {
        skipBlanks();
        if (text[at] !== '"') wrong("no key");
        const key = string();
        if (found.has(key)) wrong("a key twice");
        skipBlanks();
        if (text[at++] !== ":") wrong("no colon");
        found.set(key, value(depth + 1));
        skipBlanks();
        const next = text[at++];
        if (next === "}") return found;
        if (next !== ",") wrong("no comma");
      }
    }

    const found = value(0);
    skipBlanks();
    if (at !== text.length) wrong("more text");
    return found;
  }

  // --- kernel: form. Each function takes a JSON value and its place, and returns it converted, or rejects ------------

  const check = (test, what) => (value, place) => {
    require(test(value), `${place} is not ${what}`);
    return value;
  };
  const isInteger = (value) => typeof value === "number" || typeof value === "bigint";
  const text = check((value) => typeof value === "string", "a text");
  const boolean = check((value) => typeof value === "boolean", "true or false");
  const integer = (least, most) =>
    check((v) => isInteger(v) && least <= v && v <= most, "an integer within its limits");
  const oneOf = (...values) => check((value) => values.includes(value), `one of ${values.join(", ")}`);
  const matching = (pattern) =>
    check((value) => typeof value === "string" && pattern.test(value), `of the form ${pattern}`);
  const orNull = (form) => (value, place) => (value === null ? null : form(value, place));

  const listOf =
    (form, least = 0) =>
    (value, place) => {
      require(Array.isArray(value) && value.length >= least, `${place} is not a list, or too short`);
      return value.map((each, index) => form(each, `${place}[${index}]`));
    };

  const tuple =
    (...forms) =>
    (value, place) => {
      require(Array.isArray(value) && value.length === forms.length, `${place} is not a list of ${forms.length}`);
      return forms.map((form, index) => form(value[index], `${place}[${index}]`));
    };

  // Exactly these fields; those in `optional` may be missing, and are undefined then.
  const record =
    (fields, optional = {}) =>
    (value, place) => {
      require(value instanceof Map, `${place} is not an object`);
      /** @type {Record<string, any>} */
      const found = {};
      for (const [name, form] of Object.entries(fields)) {
        require(value.has(name), `${place} has no ${name}`);
        found[name] = form(value.get(name), `${place}.${name}`);
      }
      let count = Object.keys(fields).length;
      for (const [name, form] of Object.entries(optional)) {
        if (!value.has(name)) continue;
        found[name] = form(value.get(name), `${place}.${name}`);
        count++;
      }
      require(value.size === count, `${place} has other fields`);
      return found;
    };

  const LARGEST = 10n ** 18n;
  const MOST_SECONDS = 10n ** 15n;
  const lineNumber = orNull(integer(1, LARGEST));

  const documentForm = record(
    {
      id: text,
      path: orNull(text),
      format: orNull(text),
      reading: orNull(text),
      during: orNull(text),
      encoding: orNull(text),
      sha256: orNull(matching(/^[0-9a-f]{64}$/)),
    },
    { dropped: listOf(record({ code: text, line: lineNumber, element: orNull(text) })) },
  );

  const linkForm = record({
    id: text,
    source: text,
    relation: atomSet,
    label: text,
    target: text,
    line: lineNumber,
  });

  function modelForm(most) {
    const times = tuple(integer(-most, most), integer(-most, most));
    return (value, place) => {
      require(value instanceof Map, `${place} is not an object`);
      return new Map([...value].map(([entity, pair]) => [entity, times(pair, `${place}.${entity}`)]));
    };
  }

  // The key of a fact: the position of a link, "query", or "value 3".
  const position = check((value) => typeof value === "number" || value === "query", "a link or the query");

  const natural = check((value) => typeof value === "number" && value >= 0, "a number from 0 on");
  const index = check((value) => typeof value === "number", "a number");
  const valueKey = tuple(
    oneOf("value"),
    check((value) => isInteger(value), "an integer"),
  );
  const positionOrValue = (value, place) =>
    Array.isArray(value) ? valueKey(value, place).join(" ") : position(value, place);

  function checkReadings(readings, links) {
    const name = ([label, mask]) => `${mask} ${label}`;
    const stated = new Set(readings.map(name));
    require(stated.size === readings.length, "a reading is given twice");
    const used = new Set(links.map((link) => name([link.label, link.relation])));
    require(used.size === stated.size && [...used].every((each) => stated.has(each)), "readings and links differ");
  }

  // --- kernel: atoms and endpoints -----------------------------------------------------------------------------------

  // Start and end of the source, start and end of the target.
  const EXAMPLES = [
    ["b", [0, 1, 2, 3]],
    ["m", [0, 1, 1, 2]],
    ["o", [0, 2, 1, 3]],
    ["fi", [0, 2, 1, 2]],
    ["di", [0, 3, 1, 2]],
    ["s", [0, 1, 0, 2]],
    ["=", [0, 1, 0, 1]],
    ["si", [0, 2, 0, 1]],
    ["d", [1, 2, 0, 3]],
    ["f", [1, 2, 0, 2]],
    ["oi", [1, 3, 0, 2]],
    ["mi", [1, 2, 0, 1]],
    ["bi", [2, 3, 0, 1]],
  ];
  const ATOMS = EXAMPLES.map(([name]) => name);
  const ALL = (1 << ATOMS.length) - 1;
  const EQUAL = 1 << ATOMS.indexOf("=");
  const POINTS = [0, 1, 2, 3];

  // The atoms in which point p of an example is earlier than q, and those in which it is not later.
  const masks = (holds) =>
    POINTS.map((p) => POINTS.map((q) => EXAMPLES.reduce((mask, [, at], i) => mask | (holds(at[p], at[q]) << i), 0)));
  const EARLIER = masks((x, y) => x < y);
  const NOT_LATER = masks((x, y) => x <= y);

  function atomSet(value, place) {
    let mask = 0;
    for (const name of listOf(text)(value, place)) {
      const bit = 1 << ATOMS.indexOf(name); // an unknown atom gives 1 << -1, which is negative
      require(bit > mask, `${place} is not a set of atoms in their order`);
      mask |= bit;
    }
    return mask;
  }

  function endpoint(name) {
    const found = /^([^]*)\.(start|end)$/.exec(name);
    return found && { entity: found[1], end: found[2] === "start" ? 0 : 1 };
  }

  // The places that an endpoint can have in the example of a link.
  function placesOf(name, link) {
    const point = endpoint(name);
    if (!point) return [];
    const places = [];
    if (point.entity === link.source) places.push(point.end);
    if (point.entity === link.target) places.push(2 + point.end);
    return places;
  }

  function holdsByLink(left, strict, right, link, allowed) {
    const table = strict ? EARLIER : NOT_LATER;
    const rights = placesOf(right, link);
    return placesOf(left, link).some((p) => rights.some((q) => (allowed & ~table[p][q]) === 0));
  }

  function isOwnOrder(first, last) {
    const [start, end] = [endpoint(first), endpoint(last)];
    return start && end && start.entity === end.entity && start.end === 0 && end.end === 1;
  }

  // --- kernel: facts -------------------------------------------------------------------------------------------------

  const some = (facts, keys) => new Map(keys.map((key) => [key, facts.get(key)]));

  // The keys that a conflict can name.
  /** @type {(certificate: any) => Set<number | string>} */
  function factsIn({ links, query, values = [] }) {
    const dated = values.flatMap((value, place) => (value.fact === null ? [] : [`value ${place}`]));
    return new Set([...links.keys(), ...dated, ...(query ? ["query"] : [])]);
  }

  // --- kernel: models ------------------------------------------------------------------------------------------------

  function atomBetween(source, target) {
    const times = [...source, ...target];
    let possible = ALL;
    for (const p of [0, 1]) {
      for (const q of [2, 3]) {
        if (times[p] < times[q]) possible &= EARLIER[p][q];
        else if (times[q] < times[p]) possible &= EARLIER[q][p];
        else possible &= NOT_LATER[p][q] & NOT_LATER[q][p];
      }
    }
    return possible;
  }

  // The facts: links have source, target and relation (a mask), values have constraints.
  function satisfies(model, facts, name, clock) {
    for (const [entity, [start, end]] of model) {
      require(start < end, `${name}: ${entity} does not start before it ends`);
    }
    for (const fact of facts) {
      if (fact.constraints) continue;
      const [source, target] = [model.get(fact.source), model.get(fact.target)];
      require(source && target, `${name}: no times for ${fact.source} or ${fact.target}`);
      require(fact.relation &
        atomBetween(source, target), `${name}: a link between ${fact.source} and ${fact.target} does not hold`);
    }
    if (clock)
      clock.checkTimes(
        model,
        facts.flatMap((fact) => fact.constraints ?? []),
        name,
      );
  }

  // --- refutations ---------------------------------------------------------------------------------------------------

  function checkProof(proof, facts, clock) {
    if (proof.file !== undefined) checkStream(proof, facts);
    else if (!Array.isArray(proof)) checkClausal(proof, facts);
    else {
      checkCases(proof, facts, (edges, allowed, name) =>
        clock ? checkTimedCycle(edges, facts, allowed, clock, name) : checkPlainCycle(edges, facts, allowed, name),
      );
    }
  }

  // Without values: by cases in version 1, by clauses without hints in version 2, by cases or clauses with hints in 3.
  const plainProof = (version) => (value, place) => {
    if (version === 2) return clausalForm(value, place);
    return version > 2 && value instanceof Map ? hintedForm(value, place) : listOf(stepForm(edgeForm), 1)(value, place);
  };
  const timedProof = (value, place) => listOf(stepForm(timedEdgeForm), 1)(value, place);

  // --- refutations: cases --------------------------------------------------------------------------------------------

  const caseForm = tuple(
    atomSet,
    check((value) => typeof value === "number", "a step"),
  );
  const stepForm = (edgeForm) => (value, place) =>
    value instanceof Map && value.has("cycle")
      ? record({ cycle: listOf(edgeForm) })(value, place)
      : record({ split: position, cases: listOf(caseForm) })(value, place);
  const edgeForm = tuple(text, oneOf("<", "<="), text, orNull(position));

  // A state is null, or {link, mask, before}: the latest split and the state before it.
  function allowedIn(state, key, link) {
    for (let each = state; each; each = each.before) if (each.link === key) return each.mask;
    return link.relation;
  }

  function checkCases(steps, facts, checkCycle) {
    /** @type {Map<number, any>} */
    const states = new Map([[0, null]]);
    steps.forEach((step, place) => {
      const name = `step ${place}`;
      require(states.has(place), `${name} is not used`);
      const state = states.get(place);
      states.delete(place);
      if (step.cycle) {
        checkCycle(step.cycle, (key, link) => allowedIn(state, key, link), name);
        return;
      }
      const link = facts.get(step.split);
      require(link, `${name} splits a link that is not in the conflict`);
      const before = allowedIn(state, step.split, link);
      const covered = step.cases.reduce((mask, [atoms]) => mask | atoms, 0);
      require((before & ~covered) === 0, `${name} leaves out a case`);
      for (const [atoms, later] of step.cases) {
        require(place < later && later < steps.length && !states.has(later), `${name} names a wrong step`);
        states.set(later, { link: step.split, mask: before & atoms, before: state });
      }
    });
  }

  const isCircle = (edges, left, right) =>
    edges.every((edge, index) => edge[right] === edges[(index + 1) % edges.length][left]);

  function checkPlainCycle(edges, facts, allowed, name) {
    require(isCircle(edges, 0, 2), `${name}: not a cycle`);
    require(edges.some(([, sign]) => sign === "<"), `${name}: the cycle is not strict`);
    for (const [left, sign, right, key] of edges) {
      if (key === null) {
        require(isOwnOrder(left, right), `${name}: ${left} ${sign} ${right} has no link`);
        continue;
      }
      const link = facts.get(key);
      require(link, `${name}: a link is not in the conflict`);
      require(holdsByLink(
        left,
        sign === "<",
        right,
        link,
        allowed(key, link),
      ), `${name}: ${left} ${sign} ${right} does not follow`);
    }
  }

  // --- refutations: clauses ------------------------------------------------------------------------------------------

  const clauseForm = (variables) =>
    listOf(check((v) => typeof v === "number" && v !== 0 && Math.abs(v) <= variables, "a literal"));

  // more: how many variables are not listed; why: the form of what makes a clause true.
  function clausalForm(value, place, more = 0, why = orNull(position)) {
    const any = record({ variables: listOf(tuple(text, text)), clauses: listOf((v) => v), lemmas: listOf((v) => v) });
    const most = any(value, place).variables.length + more;
    return record({
      variables: listOf(tuple(text, text)),
      clauses: listOf(tuple(clauseForm(most), why)),
      lemmas: listOf(clauseForm(most)),
    })(value, place);
  }

  // The same in version 3, where hints show why each lemma follows. between: clauses that are not listed.
  function hintedForm(value, place, more = 0, why = orNull(position), between = 0) {
    require(value instanceof Map && value.has("hints"), `${place} has no hints`);
    const rest = clausalForm(new Map([...value].filter(([name]) => name !== "hints")), place, more, why);
    const count = rest.clauses.length + between + rest.lemmas.length;
    const hint = check((v) => typeof v === "number" && v >= 0 && v < count, "the number of a clause or lemma");
    const hints = listOf(listOf(hint))(value.get("hints"), place);
    require(hints.length === rest.lemmas.length, `${place}: not one list of hints for each lemma`);
    return { ...rest, hints };
  }

  const pointsOf = (variables) =>
    variables.map((pair) => {
      const points = pair.map(endpoint);
      require(points[0] && points[1], `proof: ${pair.join(" or ")} is not an endpoint`);
      return points;
    });

  function checkClausal(proof, facts) {
    const variables = pointsOf(proof.variables);
    proof.clauses.forEach(([clause, key], place) => {
      checkClause(clause, key, variables, facts, `clause ${place}`);
    });
    if (proof.hints) checkHints(proof);
    else checkLemmas(proof, variables.length);
  }

  function checkHints({ clauses, lemmas, hints }) {
    const known = new Map(clauses.map(([clause], place) => [place, clause]));
    lemmas.forEach((lemma, place) => {
      require(followsByHints(lemma, hints[place], known), `lemma ${place} does not follow by its hints`);
      known.set(known.size, lemma);
    });
    require(lemmas.length > 0 && lemmas[lemmas.length - 1].length === 0, "the lemmas do not lead to a contradiction");
  }

  function followsByHints(lemma, hints, known) {
    const values = new Set(lemma.map((literal) => -literal)); // literals that are true
    for (const hint of hints) {
      require(known.has(hint), "a hint names no clause before the lemma");
      const left = new Set(known.get(hint).filter((literal) => !values.has(-literal)));
      if (left.size === 0) return true;
      if (left.size > 1) return false;
      for (const literal of left) values.add(literal);
    }
    return false;
  }

  function checkClause(clause, key, variables, facts, name) {
    const literals = clause.map((literal) => [...variables[Math.abs(literal) - 1], literal > 0]);
    if (key === null) {
      require(alwaysHolds(literals), `${name} does not always hold`);
    } else {
      const link = facts.get(key);
      require(link, `${name} rests on a link that is not in the conflict`);
      require(clauseHoldsByLink(literals, link), `${name} does not follow from its link`);
    }
  }

  function clauseHoldsByLink(literals, link) {
    if (link.source === link.target) return false;
    let made = 0; // the atoms that make a literal true
    for (const [left, right, positive] of literals) {
      const sides = [left, right].map(({ entity, end }) =>
        entity === link.source ? end : entity === link.target ? 2 + end : -1,
      );
      if (sides.includes(-1)) return false;
      made |= positive ? NOT_LATER[sides[0]][sides[1]] : EARLIER[sides[1]][sides[0]];
    }
    return (link.relation & ~made) === 0;
  }

  // Whether the negated literals, with start < end of each entity, contain a cycle with a strict edge.
  function alwaysHolds(literals) {
    const numbers = new Map();
    const numberOf = ({ entity, end }) => {
      if (!numbers.has(entity)) numbers.set(entity, 2 * numbers.size);
      return numbers.get(entity) + end;
    };
    const edges = literals.map(([left, right, positive]) => {
      const [x, y] = [numberOf(left), numberOf(right)];
      return positive ? [y, x, true] : [x, y, false];
    });
    for (const start of numbers.values()) edges.push([start, start + 1, true]);
    /** @type {number[][]} */
    const following = Array.from({ length: 2 * numbers.size }, () => []);
    for (const [x, y] of edges) following[x].push(y);
    return edges.some(([x, y, strict]) => {
      if (!strict) return false;
      const seen = new Set([y]); // grows while it is read
      for (const point of seen) for (const next of following[point]) seen.add(next);
      return seen.has(x);
    });
  }

  // --- refutations: clauses without hints, in version 2 --------------------------------------------------------------

  function checkLemmas({ clauses, lemmas }, variables) {
    const known = new Propagation(variables);
    for (const [clause] of clauses) known.add(clause);
    lemmas.forEach((lemma, place) => {
      if (known.contradiction) return;
      require(known.follows(lemma), `lemma ${place} does not follow`);
      known.add(lemma);
    });
    require(known.contradiction, "the lemmas do not lead to a contradiction");
  }

  // Unit propagation. Of each clause with two or more open literals, the first two are watched.
  class Propagation {
    constructor(variables) {
      this.contradiction = false;
      this.middle = variables; // literal l has index l + middle
      this.truth = new Int8Array(2 * variables + 1); // 1 true, -1 false
      /** @type {number[][][]} */
      this.watches = Array.from(this.truth, () => []);
      this.trail = [];
    }

    valueOf(literal) {
      return this.truth[literal + this.middle];
    }

    assign(literal) {
      this.truth[literal + this.middle] = 1;
      this.truth[this.middle - literal] = -1;
      this.trail.push(literal);
    }

    // A clause that holds from now on. Assignments at this point hold for good, too.
    add(clause) {
      if (this.contradiction || clause.some((literal) => this.valueOf(literal) > 0)) return;
      const open = [...new Set(clause)].filter((literal) => this.valueOf(literal) === 0);
      if (open.length > 1) {
        for (const literal of open.slice(0, 2)) this.watches[literal + this.middle].push(open);
        return;
      }
      const before = this.trail.length;
      if (open.length) this.assign(open[0]);
      this.contradiction = !open.length || !this.propagate(before);
    }

    // Whether supposing that every literal is false ends in a contradiction.
    follows(clause) {
      const before = this.trail.length;
      let refuted = false;
      for (const literal of clause) {
        if (this.valueOf(literal) > 0) refuted = true;
        else if (this.valueOf(literal) === 0) this.assign(-literal);
      }
      refuted = refuted || !this.propagate(before);
      for (const literal of this.trail.splice(before)) {
        this.truth[literal + this.middle] = this.truth[this.middle - literal] = 0;
      }
      return refuted;
    }

    // False if a clause has only false literals.
    propagate(from) {
      for (let next = from; next < this.trail.length; next++) {
        const failed = -this.trail[next];
        const watching = this.watches[failed + this.middle];
        let kept = 0;
        for (let index = 0; index < watching.length; index++) {
          const clause = watching[index];
          if (clause[0] === failed) [clause[0], clause[1]] = [clause[1], clause[0]];
          const other = clause[0];
          let replaced = false;
          if (this.valueOf(other) <= 0) {
            for (let place = 2; place < clause.length && !replaced; place++) {
              if (this.valueOf(clause[place]) < 0) continue;
              [clause[1], clause[place]] = [clause[place], clause[1]];
              this.watches[clause[1] + this.middle].push(clause);
              replaced = true;
            }
          }
          if (replaced) continue;
          watching[kept++] = clause;
          if (this.valueOf(other) > 0) continue;
          if (this.valueOf(other) < 0) {
            watching.copyWithin(kept, index + 1);
            watching.length -= index + 1 - kept;
            return false;
          }
          this.assign(other);
        }
        watching.length = kept;
      }
      return true;
    }
  }

  // --- refutations: clauses with hints in a file ---------------------------------------------------------------------

  // A proof in a file of its own: a list on each line. ``beside`` gives its content and digest by its name.
  const referenceForm = record({
    file: matching(/^[^./\\\x00][^/\\\x00]*\.proof\.jsonl$/s),
    sha256: matching(/^[0-9a-f]{64}$/),
  });
  const LONGEST_LINE = 2 ** 24; // bytes
  /** @type {(name: string) => any} */
  let beside = () => null;

  function checkStream({ file, sha256 }, facts) {
    const found = beside(file);
    require(found, `its proof is in the file ${file}, which must be beside it`);
    require(found.sha256 === sha256, `${file} is not the file that the certificate names`);
    /** @type {[any[], Map<number, number[]>]} */
    const [variables, known] = [[], new Map()]; // clauses and lemmas by number, unless given up
    let [count, isDone] = [0, false];
    for (let [start, place] = [0, 1]; start < found.content.length; place++) {
      const end = found.content.indexOf(10, start);
      const name = `${file}, line ${place}`;
      require(end >= 0 && end - start < LONGEST_LINE, `${name}: too long, or without an end`);
      const entry = readJson(decode(found.content.subarray(start, end)));
      start = end + 1;
      isDone = false;
      require(Array.isArray(entry) && entry.length > 0, `${name}: not a list`);
      const [kind, first, second] = entry;
      require(entry.length === (kind === "d" ? 2 : 3), `${name}: of no kind`);
      if (kind === "v") {
        const points = [first, second].map((each) => (typeof each === "string" ? endpoint(each) : null));
        require(points[0] && points[1], `${name}: not two endpoints`);
        variables.push(points);
      } else if (kind === "d") {
        require(Array.isArray(first), `${name}: not a list of clauses`);
        for (const number of first) require(known.delete(number), `${name}: gives up a clause that is not there`);
      } else {
        const clause = clauseForm(variables.length)(first, name);
        if (kind === "c") {
          checkClause(clause, orNull(position)(second, name), variables, facts, name);
        } else {
          require(kind === "l", `${name}: of no kind`);
          const hint = check((v) => typeof v === "number" && v >= 0 && v < count, "the number of a clause or lemma");
          require(followsByHints(clause, listOf(hint)(second, name), known), `${name}: does not follow by its hints`);
          isDone = clause.length === 0;
        }
        known.set(count++, clause);
      }
    }
    require(isDone, "the lemmas do not lead to a contradiction");
  }

  // --- claims: certificates ------------------------------------------------------------------------------------------

  const same = (each) => each;
  const HEAD = { format: same, version: same, claim: same };

  // What the form of a part depends on.
  function formsFor(version, hasValues, unit, links) {
    const model = modelForm(hasValues ? MOST_SECONDS * BigInt(unit) : LARGEST);
    const fact = hasValues ? positionOrValue : position;
    const proof = hasValues ? timedProof : plainProof(version);
    return {
      query: record({ source: text, relation: atomSet, target: text }),
      witness: model,
      countermodel: model,
      conflict: listOf(fact),
      needed: orNull(listOf(model)),
      proof: (value, place) =>
        version > 2 && !hasValues && value instanceof Map && value.has("file")
          ? referenceForm(value, place)
          : proof(value, place),
      weights: listOf(notNegative),
      protected: listOf(fact),
      dropped: listOf(fact),
      weight: notNegative,
      conflicts: listOf(record({ conflict: listOf(fact), proof })),
      boundParts: listOf(boundPartForm(fact)),
      bound: notNegative,
      boundProof: (value, place) =>
        !hasValues && value instanceof Map && value.has("cores")
          ? coresForm(value, place, links)
          : record({
              conflicts: listOf(record({ conflict: listOf(fact), proof })),
              parts: listOf(boundPartForm(fact)),
            })(value, place),
      ...REASON_FIELDS,
      objective: oneOf("logprob", "prob", "weight"),
      pairs: listOf(pairForm),
      value: wholeNumber,
      decodingConflicts: listOf(decodingConflict),
      decodingParts: listOf(boundPartForm(index)),
      entities: differentTexts,
      closureParts: listOf(partOfClosure),
    };
  }

  // By claim: the versions, the fields with the name of their form if it is another, and the check.
  const ANSWER = { versions: [1, 2, 3], fields: ["query", "witness", "conflict", "proof"], check: checkAnswer };
  const CLAIMS = {
    consistent: {
      versions: [1, 2],
      fields: ["witness"],
      check: ({ witness }, facts, clock) => satisfies(witness, [...facts.values()], "witness", clock),
    },
    inconsistent: { versions: [1, 2, 3], fields: ["conflict", "needed", "proof"], check: checkInconsistent },
    entailed: ANSWER,
    refuted: ANSWER,
    open: { ...ANSWER, versions: [1, 2], fields: ["query", "witness", "countermodel"] },
    closure: {
      versions: [3],
      fields: ["derived", "edges", "paths", "entities", ["parts", "closureParts"]],
      check: checkClosure,
      withoutValues: true,
    },
    repair: {
      versions: [3, 4],
      fields: ["weights", "protected", "dropped", "weight", "witness", "conflicts", ["parts", "boundParts"]],
      check: checkRepair,
    },
    decode: {
      versions: [3],
      fields: [
        "objective",
        "pairs",
        "value",
        "witness",
        ["conflicts", "decodingConflicts"],
        ["parts", "decodingParts"],
      ],
      check: checkDecoding,
      withoutValues: true,
    },
    score: { versions: [3], form: (value, place) => scoreForm(value, place), check: checkScore },
    total: { versions: [3], form: (value, place) => totalForm(value, place), check: checkTotal },
  };

  const BOUNDED_REPAIR = ["weights", "protected", "dropped", "weight", "witness", "bound", ["proof", "boundProof"]];

  function readCertificate(value) {
    require(value instanceof Map, "not a JSON object");
    const [version, claim] = [value.get("version"), value.get("claim")];
    require(value.get("format") === "temporacle-certificate", "not a certificate of Temporacle");
    require(typeof claim === "string" && Object.hasOwn(CLAIMS, claim), "an unknown claim");
    const { versions, form, withoutValues } = CLAIMS[claim];
    require(versions.includes(version), "an unknown version, or not one of this claim");
    const fields = version === 4 ? BOUNDED_REPAIR : CLAIMS[claim].fields;
    if (form) return form(value, "certificate");
    const hasValues = version > 1 && value.has("calendar") && !withoutValues;
    require(version !== 2 || hasValues || fields.includes("proof"), "this claim has no clausal proof");
    const unit = integer(1, LARGEST_UNIT);
    const forms = formsFor(
      version,
      hasValues,
      hasValues ? unit(value.get("unit"), "unit") : 1,
      value.get("links")?.length,
    );
    const formOf = (field) => (Array.isArray(field) ? [field[0], forms[field[1]]] : [field, forms[field]]);
    const certificate = record({
      ...HEAD,
      document: documentForm,
      readings: listOf(tuple(text, atomSet)),
      links: listOf(linkForm),
      ...(hasValues ? { calendar: calendarForm, values: listOf(valueForm), unit } : {}),
      ...Object.fromEntries(fields.map(formOf)),
    })(value, "certificate");
    checkReadings(certificate.readings, certificate.links);
    if (hasValues) checkRecords(certificate.values, certificate.links, certificate.query);
    const {
      conflict,
      dropped,
      conflicts = version === 4 ? (certificate.proof.conflicts ?? []) : [],
    } = certificate.claim === "decode" ? {} : certificate;
    const known = factsIn(certificate);
    for (const facts of [conflict, certificate.protected, dropped, ...conflicts.map((each) => each.conflict)]) {
      if (!facts) continue;
      require(facts.every((key) => known.has(key)), "a conflict names a fact that does not exist");
      require(new Set(facts).size === facts.length, "a conflict names a fact twice");
    }
    return certificate;
  }

  // Return the facts that were trusted.
  function checkClaim(certificate, folder) {
    if (certificate.claim === "score") return (checkScore(certificate), []);
    if (certificate.claim === "total") {
      require(folder, "it rests on other certificates: check it as a file, in their folder");
      return (checkTotal(certificate, (name, sha256) => scoreFrom(folder(name), sha256)), []);
    }
    const clock = certificate.calendar ? new Clock(certificate) : null;
    const values = (certificate.values ?? []).map((each, place) => [`value ${place}`, each]);
    CLAIMS[certificate.claim].check(certificate, new Map([...certificate.links.entries(), ...values]), clock);
    return clock ? clock.trusted : [];
  }

  // --- claims: inconsistent, entailed, refuted, open -----------------------------------------------------------------

  function checkInconsistent({ conflict, needed, proof }, facts, clock) {
    checkProof(proof, some(facts, conflict), clock);
    require(!needed || needed.length === conflict.length, "needed and conflict differ in length");
    (needed ?? []).forEach((model, left) => {
      const others = some(
        facts,
        conflict.filter((_, place) => place !== left),
      );
      satisfies(model, [...others.values()], `needed ${left}`, clock);
    });
  }

  function checkAnswer({ claim, query, witness, countermodel, conflict, proof }, facts, clock) {
    const negated = { ...query, relation: ALL & ~query.relation };
    const all = [...facts.values()];
    require(witness.has(query.source) && witness.has(query.target), "the query is about an unknown entity");
    satisfies(witness, [...all, claim === "refuted" ? negated : query], "witness", clock);
    if (claim === "open") {
      satisfies(countermodel, [...all, negated], "countermodel", clock);
    } else {
      const dates = [...facts.keys()].filter((key) => facts.get(key).fact === null);
      const known = new Map(facts).set("query", claim === "entailed" ? negated : query);
      checkProof(proof, some(known, [...conflict, ...dates]), clock);
    }
  }

  // --- closures: reasons, proofs that atoms are impossible, with shared parts ----------------------------------------

  const CONVERSE = EXAMPLES.map(([, [a, b, c, d]]) =>
    EXAMPLES.findIndex(([, at]) => String(at) === String([c, d, a, b])),
  );
  const converse = (mask) =>
    CONVERSE.reduce((found, other, atom) => ((mask >> atom) & 1 ? found | (1 << other) : found), 0);

  const REASON_FIELDS = {
    derived: listOf(tuple(text, atomSet, text, listOf(position), plainProof(3))),
    edges: listOf(tuple(text, oneOf("<", "<="), text, orNull(index))),
    paths: listOf(tuple(orNull(index), index)),
  };

  class Reasons {
    /**
     * The links, the three lists, and whether a link may be used.
     * @param {any[]} links
     * @param {any} lists
     * @param {(link: number) => boolean} isUsable
     */
    constructor(links, { derived, edges, paths }, isUsable = () => true) {
      this.links = links.length;
      this.facts = [...links];
      this.isUsable = (fact) => fact in this.facts && (fact >= this.links || isUsable(fact));
      this.lastOfFact = links.map((_, place) => place); // the last link that a fact rests on
      derived.forEach((entry) => this.addDerived(entry));
      this.edges = edges.map((edge, place) => this.checkedEdge(edge, `edge ${place}`));
      this.paths = [];
      paths.forEach(([before, edge], place) => this.addPath(before, edge, `path ${place}`));
    }

    addDerived([source, relation, target, conflict, proof]) {
      const name = `derived relation ${this.facts.length - this.links}`;
      const known = new Map([["query", { source, relation: ALL & ~relation, target }]]);
      conflict.forEach((fact) => fact !== "query" && this.isUsable(fact) && known.set(fact, this.facts[fact]));
      require(conflict.every((fact) => known.has(fact)), `${name} rests on a fact that cannot be used`);
      require(new Set(conflict).size === conflict.length, `${name} names a fact twice`);
      checkProof(proof, new Map(conflict.map((fact) => [fact, known.get(fact)])), null);
      this.facts.push({ source, relation, target });
      const used = conflict.filter((fact) => fact !== "query").map((fact) => this.lastOfFact[fact]);
      this.lastOfFact.push(used.reduce((last, each) => Math.max(last, each), -1));
    }

    checkedEdge([left, sign, right, fact], name) {
      if (fact === null) {
        require(isOwnOrder(left, right), `${name} has no link`);
      } else {
        require(this.isUsable(fact), `${name} rests on a fact that cannot be used`);
        const link = this.facts[fact];
        require(holdsByLink(left, sign === "<", right, link, link.relation), `${name} does not follow`);
      }
      return { left, right, strict: sign === "<", last: fact === null ? -1 : this.lastOfFact[fact] };
    }

    addPath(before, edge, name) {
      require(edge in this.edges && (before === null || before in this.paths), `${name} has parts that do not exist`);
      const added = this.edges[edge];
      if (before === null) {
        this.paths.push(added);
        return;
      }
      const path = this.paths[before];
      require(path.right === added.left, `${name} is broken`);
      this.paths.push({
        left: path.left,
        right: added.right,
        strict: path.strict || added.strict,
        last: Math.max(path.last, added.last),
      });
    }

    // The atoms that reasons exclude between two entities.
    excluded(reasons, x, y, name) {
      return reasons.reduce((mask, reason) => mask | this.excludedBy(reason, x, y, name), x === y ? ALL & ~EQUAL : 0);
    }

    excludedBy(reason, x, y, name) {
      if (reason < 0) {
        require(this.isUsable(-1 - reason), `${name}: a reason is a fact that cannot be used`);
        const { source, relation, target } = this.facts[-1 - reason];
        if (source === x && target === y) return ALL & ~relation;
        require(source === y && target === x, `${name}: a reason is about other entities`);
        return ALL & ~converse(relation);
      }
      require(reason in this.paths, `${name}: a reason does not exist`);
      const { left, right, strict } = this.paths[reason];
      const [p, q] = [left, right].map((point) => placesOf(point, { source: x, target: y })[0]);
      require(p !== undefined && q !== undefined, `${name}: a reason is about other entities`);
      return strict ? ALL & ~EARLIER[p][q] : EARLIER[q][p];
    }

    lastOf(reason) {
      return reason < 0 ? this.lastOfFact[-1 - reason] : this.paths[reason].last;
    }
  }

  // --- closures: closure ---------------------------------------------------------------------------------------------

  const time = integer(-LARGEST, LARGEST);
  const differentTexts = (value, place) => {
    const found = listOf(text)(value, place);
    require(new Set(found).size === found.length, `${place} has a text twice`);
    return found;
  };
  const partOfClosure = record({
    entities: differentTexts,
    models: listOf(listOf(time), 1),
    pairs: listOf(tuple(text, atomSet, text, listOf(index), listOf(index))),
  });

  function checkClosure({ links, derived, edges, paths, entities, parts }) {
    const reasons = new Reasons(links, { derived, edges, paths });
    const partOf = new Map();
    parts.forEach((part, number) => {
      for (const entity of part.entities) {
        require(!partOf.has(entity), `${entity} is in two parts`);
        partOf.set(entity, number);
      }
    });
    require(partOf.size === entities.length &&
      entities.every((entity) => partOf.has(entity)), "the parts have other entities");
    const linksOf = parts.map(() => []);
    for (const link of links) {
      const part = partOf.get(link.source);
      require(part !== undefined && part === partOf.get(link.target), "a link is not within one part");
      linksOf[part].push(link);
    }
    parts.forEach((part, number) => checkPartOfClosure(part, linksOf[number], reasons, `part ${number}`));
  }

  function checkPartOfClosure({ entities, models, pairs }, links, reasons, name) {
    const timelines = models.map((times, place) => {
      require(times.length === 2 * entities.length, `${name}: model ${place} has another length`);
      const model = new Map(entities.map((entity, k) => [entity, times.slice(2 * k, 2 * k + 2)]));
      satisfies(model, links, `${name}, model ${place}`, null);
      return model;
    });
    require(pairs.length === (entities.length * (entities.length - 1)) / 2, `${name} has too many pairs, or too few`);
    let next = 0;
    entities.forEach((first, k) => {
      for (const second of entities.slice(k + 1)) {
        const [source, relation, target, why, shown] = pairs[next++];
        const pair = `${name}, ${source} and ${target}`;
        require(source === first && target === second, `${pair}: another pair is expected`);
        require((ALL & ~relation & ~reasons.excluded(why, source, target, pair)) ===
          0, `${pair}: an atom is not excluded`);
        const atoms = ATOMS.map((_, bit) => 1 << bit).filter((bit) => relation & bit);
        require(atoms.length === shown.length, `${pair}: not one model for each atom`);
        atoms.forEach((bit, place) => {
          const model = timelines[shown[place]];
          require(model && atomBetween(model.get(source), model.get(target)) === bit, `${pair}: an atom is not shown`);
        });
      }
    });
  }

  // --- optima: fractions {n, d}, in lowest terms, d > 0 --------------------------------------------------------------

  const gcd = (a, b) => {
    [a, b] = [a < 0n ? -a : a, b < 0n ? -b : b];
    while (b) [a, b] = [b, a % b];
    return a;
  };
  const reduced = (n, d) => {
    const common = gcd(n, d);
    return common > 1n ? { n: n / common, d: d / common } : { n, d };
  };
  const ZERO = { n: 0n, d: 1n };
  const plus = (a, b) => reduced(a.n * b.d + b.n * a.d, a.d * b.d);
  const minus = (a, b) => plus(a, { n: -b.n, d: b.d });
  const isLess = (a, b) => a.n * b.d < b.n * a.d;
  const least = (some) => some.reduce((a, b) => (isLess(b, a) ? b : a));

  function fraction(value, place) {
    require(typeof value === "string" && value.length <= 2000, `${place} is not a text, or too long`);
    return longFraction(value, place);
  }

  // The mean of many scores is a fraction of any length.
  function longFraction(value, place) {
    const found = typeof value === "string" && /^(-?)(0|[1-9][0-9]*)(?:\/([1-9][0-9]*))?$/.exec(value);
    require(found, `${place} is not a fraction`);
    const [n, d] = [BigInt(found[1] + found[2]), BigInt(found[3] ?? 1)];
    const good = gcd(n, d) === 1n && (found[3] === undefined || d > 1n) && !(found[1] && n === 0n);
    require(good || value === "0", `${place} is a fraction in another form`);
    return { n, d };
  }

  const notNegative = (value, place) => {
    const found = fraction(value, place);
    require(found.n >= 0n, `${place} is negative`);
    return found;
  };

  // --- optima: lower bounds. A problem is a Map of slots, each a Map from options to costs ---------------------------

  const numberedOption = integer(-LARGEST, LARGEST);
  const option = (value, place) => (typeof value === "string" ? text : numberedOption)(value, place);

  const boundStepForm = (slot) => (value, place) => {
    const is = (name) => value instanceof Map && value.has(name);
    if (is("branch")) return record({ branch: slot, cases: listOf(tuple(listOf(option), index)) })(value, place);
    if (is("conflict")) return record({ conflict: index })(value, place);
    return record({ dual: listOf(tuple(index, notNegative)) })(value, place);
  };
  const boundPartForm = (slot) =>
    record({ bound: fraction, conflicts: listOf(index), steps: listOf(boundStepForm(slot), 1) });

  // conflicts: Maps from slots to the Set of options that are blocked.
  function lowerBound(parts, slots, conflicts) {
    const taken = new Set();
    let bound = ZERO;
    parts.forEach((part, number) => {
      const name = `part ${number}`;
      require(new Set(part.conflicts).size === part.conflicts.length, `${name} names a conflict twice`);
      require(part.conflicts.every((each) => each in conflicts), `${name} names a conflict that does not exist`);
      const own = new Set(part.conflicts.flatMap((each) => [...conflicts[each].keys()]));
      for (const step of part.steps) if ("branch" in step) own.add(step.branch);
      for (const slot of own) {
        require(slots.has(slot), `${name} has a slot that does not exist`);
        require(!taken.has(slot), `${name} has a slot of another part`);
        taken.add(slot);
      }
      checkBound(part, new Map([...own].map((slot) => [slot, slots.get(slot)])), conflicts, name);
      bound = plus(bound, part.bound);
    });
    return bound; // slots that are in no part cost at least 0
  }

  function checkBound(part, slots, conflicts, name) {
    const own = new Set(part.conflicts);
    const unit = [...slots.values()].flatMap((options) => [...options.values()]).reduce(commonUnit, ZERO);
    /** @type {Map<number, Map<any, any>>} */
    const states = new Map([[0, new Map([...slots].map(([slot, options]) => [slot, new Set(options.keys())]))]]);
    part.steps.forEach((step, place) => {
      const where = `${name}, step ${place}`;
      const left = states.get(place);
      require(left, `${where} is not used`);
      states.delete(place);
      if ("branch" in step) {
        const before = left.get(step.branch);
        const covered = new Set(step.cases.flatMap(([options]) => options));
        require([...before].every((each) => covered.has(each)), `${where} leaves out an option`);
        for (const [options, later] of step.cases) {
          require(place < later && later < part.steps.length && !states.has(later), `${where} names a wrong step`);
          states.set(later, new Map(left).set(step.branch, new Set(options.filter((each) => before.has(each)))));
        }
      } else if ("conflict" in step) {
        require(own.has(step.conflict), `${where} names a conflict of another part`);
        const isFree = ([slot, blocked]) => [...left.get(slot)].some((each) => !blocked.has(each));
        require(![...conflicts[step.conflict]].some(isFree), `${where}: the conflict can be met`);
      } else {
        require(step.dual.every(([each]) => own.has(each)), `${where} names a conflict of another part`);
        if (![...left.values()].every((options) => options.size)) return; // no choice is left
        const found = roundedUp(dualBound(step.dual, left, slots, conflicts), unit);
        require(!isLess(found, part.bound), `${where}: the bound is not reached`);
      }
    });
  }

  function dualBound(dual, left, slots, conflicts) {
    let sum = dual.reduce((total, [, price]) => plus(total, price), ZERO);
    const prices = new Map(); // by slot: the entries whose conflict has it
    for (const [each, price] of dual) {
      for (const [slot, blocked] of conflicts[each]) prices.set(slot, [...(prices.get(slot) ?? []), [blocked, price]]);
    }
    for (const [slot, options] of left) {
      const paid = (each) =>
        (prices.get(slot) ?? []).filter(([blocked]) => !blocked.has(each)).map(([, price]) => price);
      const costs = [...options].map((each) => paid(each).reduce(minus, slots.get(slot).get(each)));
      sum = plus(sum, least(costs));
    }
    return sum;
  }

  // The greatest number of which both are integer multiples.
  const commonUnit = (a, b) => reduced(gcd(a.n * b.d, b.n * a.d), a.d * b.d);

  /** @type {(a: {n: bigint, d: bigint}, unit: {n: bigint, d: bigint}) => {n: bigint, d: bigint}} */
  function roundedUp(a, unit) {
    if (unit.n === 0n) return a;
    const [n, d] = [a.n * unit.d, a.d * unit.n];
    const times = n / d + (n > 0n && n % d !== 0n ? 1n : 0n); // division of BigInts rounds towards 0
    return reduced(times * unit.n, unit.d);
  }

  // --- optima: repair ------------------------------------------------------------------------------------------------

  function checkRepair(certificate, facts, clock) {
    const { links, values = [], weights, weight, witness } = certificate;
    require(weights.length === links.length + values.length, "not one weight for each fact");
    const keys = [...links.keys(), ...values.map((_, place) => `value ${place}`)];
    const weightOf = new Map(keys.map((key, place) => [key, weights[place]]));
    const [isProtected, isDropped] = [new Set(certificate.protected), new Set(certificate.dropped)];
    require(![...isDropped].some((key) => isProtected.has(key)), "a protected fact is dropped");
    const sum = [...isDropped].reduce((total, key) => plus(total, weightOf.get(key)), ZERO);
    require(sum.n === weight.n && sum.d === weight.d, "the dropped facts have another weight");
    satisfies(
      witness,
      [...facts].filter(([key]) => !isDropped.has(key)).map(([, fact]) => fact),
      "witness",
      clock,
    );
    const costs = new Map(keys.filter((key) => !isProtected.has(key)).map((key) => [key, weightOf.get(key)]));
    const { version, proof, bound } = certificate;
    if (version === 3) {
      require(!isLess(boundByConflicts(certificate, facts, costs, clock), weight), "a lighter repair is not excluded");
    } else {
      const found = proof.cores
        ? boundByCores(proof, facts, costs, weight)
        : boundByConflicts(proof, facts, costs, clock);
      require(!isLess(found, bound), "a repair below the bound is not excluded");
    }
  }

  // costs: of the facts that are not protected.
  function boundByConflicts({ conflicts, parts }, facts, costs, clock) {
    for (const { conflict, proof } of conflicts) checkProof(proof, some(facts, conflict), clock);
    const options = (cost) =>
      new Map([
        ["keep", ZERO],
        ["drop", cost],
      ]);
    const slots = new Map([...costs].map(([key, cost]) => [key, options(cost)]));
    const blocked = (keys) => new Map(keys.filter((key) => slots.has(key)).map((key) => [key, new Set(["keep"])]));
    return lowerBound(
      parts,
      slots,
      conflicts.map(({ conflict }) => blocked(conflict)),
    );
  }

  // --- optima: repair by cores ---------------------------------------------------------------------------------------

  const COUNT = "count";

  function coresForm(value, place, links) {
    const own = ["counts", "sure", "cores"];
    const countForm = tuple(natural, natural, natural, natural);
    const { counts, sure, cores } = record({
      counts: listOf(countForm),
      sure: listOf(tuple(index, natural)),
      cores: listOf(natural),
    })(new Map([...value].filter(([name]) => own.includes(name))), place);
    const why = (each, where) => (each === COUNT ? COUNT : orNull(position)(each, where));
    const rest = new Map([...value].filter(([name]) => !own.includes(name)));
    const proof = hintedForm(rest, place, links + counts.length, why, sure.length);
    /** @type {any} */
    const { lemmas, variables } = proof;
    require(cores.every(
      (core, k) => core < lemmas.length && (k === 0 || cores[k - 1] < core),
    ), "cores are no lemmas in their order");
    for (const core of cores) require(new Set(lemmas[core]).size === lemmas[core].length, "a core has a literal twice");
    for (const [core, first, last, number] of counts) {
      require(core < cores.length, "a count of no core");
      const good = first < last && last <= lemmas[cores[core]].length && 0 < number && number <= last - first;
      require(good, "a count of other wishes than those of its core");
    }
    for (const [wish, after] of sure) {
      clauseForm(variables.length + links + counts.length)([wish], "sure");
      require(after <= cores.length, "a wish is sure after too many cores");
    }
    return { ...proof, counts, sure, cores };
  }

  // Variables: endpoints, then one for each link that says that it is kept, then counts.
  function boundByCores(proof, facts, costs, weight) {
    const points = pointsOf(proof.variables);
    const kept = (link) => points.length + 1 + link;
    const firstCount = points.length + facts.size + 1;
    const counts = new Map(proof.counts.map((count, place) => [firstCount + place, count]));
    const cores = proof.cores.map((core) => proof.lemmas[core]);
    const known = new Map();
    proof.clauses.forEach(([clause, why], place) => {
      const name = `clause ${place}`;
      if (why === COUNT) checkCount(clause, counts, cores, name);
      else if (!isImpossible(facts.get(why))) {
        require(clause.every((literal) => Math.abs(literal) <= points.length), `${name} is not about endpoints only`);
        checkClause(clause, why, points, facts, name);
      }
      known.set(place, costs.has(why) ? [...clause, -kept(why)] : clause);
    });
    const payments = new Payments(new Map([...costs].map(([link, cost]) => [-kept(link), cost])), counts, cores);
    const believeSure = () =>
      proof.sure.forEach(([wish, after], place) => {
        if (after !== payments.count) return;
        require(!isLess(payments.without(-wish), weight), `${wish} is not sure after core ${after}`);
        known.set(proof.clauses.length + place, [wish]);
      });
    believeSure();
    const first = proof.clauses.length + proof.sure.length;
    proof.lemmas.forEach((lemma, place) => {
      require(followsByHints(lemma, proof.hints[place], known), `lemma ${place} does not follow by its hints`);
      known.set(first + place, lemma);
      if (proof.cores[payments.count] !== place) return;
      payments.pay();
      believeSure();
    });
    return least([payments.bound, weight]); // what is sure holds in lighter repairs only
  }

  // Whether a link says that an entity is not equal to itself. From what cannot be true everything follows.
  const isImpossible = (link) => link && link.source === link.target && (link.relation & EQUAL) === 0;

  // The last literal is a count; the others deny counts and wishes of the same core that add up to it.
  function checkCount(clause, counts, cores, name) {
    const head = counts.get(clause[clause.length - 1]);
    require(head, `${name} counts nothing`);
    const [core, first, last, number] = head;
    const taken = new Set();
    let total = 0;
    for (const literal of clause.slice(0, -1)) {
      let other = counts.get(-literal);
      if (!other || other[0] !== core) {
        const place = cores[core].indexOf(-literal);
        require(place >= 0, `${name} counts something else`);
        other = [core, place, place + 1, 1];
      }
      require(first <= other[1] && other[2] <= last, `${name} counts something else`);
      for (let place = other[1]; place < other[2]; place++) {
        require(!taken.has(place), `${name} counts something twice`);
        taken.add(place);
      }
      total += other[3];
    }
    require(total >= number, `${name} does not add up`);
  }

  // What wishes cost. A wish is named by the literal that denies it, or "core number" if it counts a whole core.
  class Payments {
    constructor(costs, counts, cores) {
      this.bound = ZERO;
      this.count = 0; // of the cores so far
      this.costs = costs;
      this.counts = counts;
      this.cores = cores;
    }

    pay() {
      const core = this.cores[this.count];
      const wishes = core.map((literal) => this.wishOf(literal));
      const good = wishes.length > 0 && wishes.every((wish) => this.costs.has(wish));
      require(good, `core ${this.count} is not about wishes`);
      const step = least(wishes.map((wish) => this.costs.get(wish)));
      this.bound = plus(this.bound, step);
      core.forEach((literal, place) => {
        const wish = wishes[place];
        this.costs.set(wish, minus(this.costs.get(wish), step));
        if (typeof wish === "number") return;
        const [counted, , , number] = this.counts.get(literal);
        const following = `${counted} ${number + 1}`;
        this.costs.set(following, plus(this.costs.get(following) ?? ZERO, step));
      });
      this.costs.set(`${this.count} 2`, step);
      this.count++;
    }

    without(denial) {
      return plus(this.bound, this.costs.get(this.wishOf(denial)) ?? ZERO);
    }

    wishOf(literal) {
      const [core, first, last, number] = this.counts.get(literal) ?? [];
      return core !== undefined && first === 0 && last === this.cores[core].length ? `${core} ${number}` : literal;
    }
  }

  // --- optima: decode ------------------------------------------------------------------------------------------------

  const wholeNumber = (value, place) => {
    const found = fraction(value, place);
    require(found.d === 1n, `${place} is not a whole number`);
    return found;
  };
  const pairForm = record({
    id: text,
    source: text,
    target: text,
    line: lineNumber,
    labels: listOf(tuple(text, atomSet, fraction, wholeNumber), 1),
    chosen: index,
  });
  const decodingConflict = record({
    links: listOf(index),
    blocked: listOf(tuple(index, listOf(index))),
    proof: plainProof(3),
  });
  const UNIT_OF_VALUES = 10n ** 12n;

  function checkDecoding({ links, objective, pairs, value, witness, conflicts, parts }, facts) {
    for (const pair of pairs) {
      require(pair.chosen in pair.labels, `${pair.id}: the chosen label does not exist`);
      for (const [label, , score, worth] of pair.labels) {
        require(isValueOf(worth.n, score, objective), `${pair.id}: ${label} has a value that is not that of its score`);
      }
    }
    const sum = pairs.reduce((total, { labels, chosen }) => total + labels[chosen][3].n, 0n);
    require(sum === value.n, "the chosen labels have another value");
    const linkOf = ({ source, target, labels }, positions) => {
      const relation = positions.reduce((mask, position) => mask | labels[position][1], 0);
      return { source, relation, target };
    };
    satisfies(witness, [...facts.values(), ...pairs.map((pair) => linkOf(pair, [pair.chosen]))], "witness", null);
    const blocking = conflicts.map((conflict, place) => {
      const name = `conflict ${place}`;
      require(conflict.links.every((position) => position in links), `${name} names a link that does not exist`);
      const used = some(facts, conflict.links);
      const blocked = new Map();
      for (const [position, labels] of conflict.blocked) {
        const pair = pairs[position];
        require(pair && labels.every((each) => each in pair.labels), `${name} names a label that does not exist`);
        require(!blocked.has(position), `${name} names a pair twice`);
        blocked.set(position, new Set(labels));
        used.set(links.length + position, linkOf(pair, labels));
      }
      checkProof(conflict.proof, used, null);
      return blocked;
    });
    const highest = pairs.map(({ labels }) =>
      labels.reduce((most, [, , , { n }]) => (n > most ? n : most), labels[0][3].n),
    );
    const costs = ({ labels }, place) =>
      labels.map(([, , , { n }], label) => [label, { n: highest[place] - n, d: 1n }]);
    const slots = new Map(pairs.map((pair, place) => [place, new Map(costs(pair, place))]));
    const best = minus(
      { n: highest.reduce((total, each) => total + each, 0n), d: 1n },
      lowerBound(parts, slots, blocking),
    );
    require(!isLess(value, best), "better labels are not excluded");
  }

  function isValueOf(value, score, objective) {
    if (objective !== "weight" && score.n < 0n) return false;
    if (objective === "logprob") {
      const least = { n: 1n, d: 10n ** 6n };
      const logarithm = UNIT_OF_VALUES * logarithmOf(isLess(score, least) ? least : score);
      const difference = (value << PRECISION) - logarithm;
      return (difference < 0n ? -difference : difference) < 1n << PRECISION;
    }
    return value === rounded(score.n * UNIT_OF_VALUES, score.d);
  }

  // n/d to the nearest integer, the even one if two are equally near.
  /** @type {(n: bigint, d: bigint) => bigint} */
  function rounded(n, d) {
    const below = n / d - (n < 0n && n % d !== 0n ? 1n : 0n);
    const rest = 2n * (n - below * d);
    return rest > d || (rest === d && below % 2n !== 0n) ? below + 1n : below;
  }

  // Logarithms are integers, counted in 2^-PRECISION: about 150 digits.
  const PRECISION = 512n;

  // ln((1 + z) / (1 - z)) = 2 (z + z^3/3 + z^5/5 + ...), for z = n/d of at most 1/3.
  function series(n, d) {
    const z = (n << PRECISION) / d;
    const square = (z * z) >> PRECISION;
    let [sum, power] = [0n, z];
    for (let odd = 1n; power !== 0n; odd += 2n) {
      sum += power / odd;
      power = (power * square) >> PRECISION;
    }
    return 2n * sum;
  }

  // The natural logarithm of a positive fraction: k ln 2 + ln f, with f from 1 to 2.
  function logarithmOf({ n, d }) {
    let k = BigInt(n.toString(2).length - d.toString(2).length);
    if (k >= 0n ? n < d << k : n << -k < d) k--;
    const [top, bottom] = k >= 0n ? [n, d << k] : [n << -k, d];
    return k * series(1n, 3n) + series(top - bottom, top + bottom);
  }

  // --- scores: score -------------------------------------------------------------------------------------------------

  const COUNTS = [
    "system_total",
    "gold_total",
    "precision_matched",
    "recall_matched",
    "system_set_aside",
    "gold_set_aside",
    "system_vague_left_out",
    "gold_vague_left_out",
  ];
  const count = check((value) => isInteger(value) && value >= 0, "a count");
  const FIGURES = {
    counts: record(Object.fromEntries(COUNTS.map((name) => [name, count]))),
    precision: longFraction,
    recall: longFraction,
    f1: longFraction,
  };
  const METHOD = {
    metric: oneOf("awareness"),
    options: record({
      align: oneOf("ids", "spans"),
      contradictions: oneOf("set-aside", "refuse"),
      vague: oneOf("ignore", "count"),
      empty: oneOf(0, 1),
    }),
  };

  // An entry is a list: its kind, and what goes with it.
  const entryOf = (kinds) => (value, place) => {
    require(Array.isArray(value) &&
      typeof value[0] === "string" &&
      Object.hasOwn(kinds, value[0]), `${place} is an unknown entry`);
    return tuple(text, ...kinds[value[0]])(value, place);
  };
  const anyModel = modelForm(LARGEST);
  const sideForm = record({
    document: documentForm,
    readings: listOf(tuple(text, atomSet)),
    links: listOf(linkForm),
    names: listOf(tuple(text, text)),
    ...REASON_FIELDS,
    walk: listOf(
      entryOf({
        duplicate: [index],
        vague: [],
        redundant: [listOf(index)],
        "set-aside": [listOf(index)],
        kept: [orNull(index)],
      }),
    ),
    witness: anyModel,
    models: listOf(anyModel),
    verified: listOf(entryOf({ stated: [index], entailed: [listOf(index)], unknown: [], vague: [], open: [index] })),
  });
  const scoreForm = record({ ...HEAD, ...METHOD, gold: sideForm, system: sideForm, ...FIGURES });

  // Duplicates are recognised by this form of their label.
  function plainLabel(label) {
    const upper = strip(label).toUpperCase();
    const name = /[\p{L}\p{N}]/u.test(upper) ? upper.replace(/[-/ ]/g, "_") : upper;
    return name === "DURING" || name === "DURING_INV" ? "SIMULTANEOUS" : name;
  }

  class Side {
    constructor(side, name, countsVague) {
      checkReadings(side.readings, side.links);
      this.name = name;
      this.countsVague = countsVague;
      this.walk = side.walk;
      this.verified = side.verified;
      this.models = side.models;
      require(side.walk.length === side.links.length, `${name}: not one entry for each link`);
      const names = new Map(side.names);
      require(names.size === side.names.length, `${name}: an entity has two names`);
      const own = new Set(side.links.flatMap((link) => [link.source, link.target]));
      const common = (entity) => names.get(entity) ?? entity;
      this.known = new Set([...own].map(common));
      require(this.known.size === own.size, `${name}: two entities get the same name`);
      this.links = side.links.map((link) => ({ ...link, source: common(link.source), target: common(link.target) }));
      this.kept = [...this.links.keys()].filter((place) => side.walk[place][0] === "kept");
      satisfies(
        side.witness,
        this.kept.map((place) => this.links[place]),
        `${name}: witness`,
        null,
      );
      this.reasons = new Reasons(this.links, side, (place) => side.walk[place][0] === "kept");
      this.counted = [];
      this.tally = { "set-aside": 0, vague: 0 };
      this.checkWalk();
    }

    checkWalk() {
      /** @type {[Map<string, number>, Set<string>, any[]]} */
      const [seen, mentioned, kept] = [new Map(), new Set(), []];
      this.links.forEach((link, place) => {
        const { source, relation, target } = link;
        const [kind, what] = this.walk[place];
        const name = `${this.name}: link ${place}`;
        const said = JSON.stringify([source, relation, target, plainLabel(link.label)]);
        if (seen.has(said)) {
          require(kind === "duplicate" && what === seen.get(said), `${name} repeats an earlier link`);
        } else if (relation === ALL) {
          require(kind === "vague", `${name} allows every atom`);
          if (this.countsVague) this.counted.push(place);
          this.tally.vague++;
        } else if (source === target && relation & EQUAL && !mentioned.has(source)) {
          require(kind === "kept" && what === null, `${name} is the first mention of an entity, as itself`);
          this.counted.push(place);
        } else if (kind === "kept") {
          this.checkAgainst(what, kept, link, name);
          this.counted.push(place);
        } else {
          require(kind === "redundant" || kind === "set-aside", `${name} is neither a duplicate nor vague`);
          const wanted = kind === "redundant" ? ALL & ~relation : relation;
          require((wanted & ~this.reasons.excluded(what, source, target, name)) ===
            0, `${name} is not shown to be ${kind}`);
          require(what.every(
            (reason) => this.reasons.lastOf(reason) < place,
          ), `${name}: a reason rests on a later link`);
          if (kind === "set-aside") {
            this.counted.push(place);
            this.tally[kind]++;
          }
        }
        if (!seen.has(said)) seen.set(said, place);
        mentioned.add(source).add(target);
        if (kind === "kept") kept.push(link);
      });
    }

    // A model, perhaps of some entities only, in which the kept links hold and this one does not.
    checkAgainst(number, kept, link, name) {
      const model = this.models[number];
      require(number !== null && model, `${name}: there is no such model`);
      for (const { source, target } of kept) {
        require(model.has(source) === model.has(target), `${name}: a model divides a link`);
      }
      const inside = kept.filter(({ source }) => model.has(source));
      satisfies(model, [...inside, { ...link, relation: ALL & ~link.relation }], `${name}: model ${number}`, null);
    }

    // How many counted links of the other side this side verifies.
    matched(other) {
      require(other.verified.length === other.counted.length, `${other.name}: not one entry for each counted link`);
      const nameOfLink = (source, relation, target) => JSON.stringify([source, relation, target]);
      const stated = new Set(
        this.links.flatMap(({ source, relation, target }) => [
          nameOfLink(source, relation, target),
          nameOfLink(target, converse(relation), source),
        ]),
      );
      const keptLinks = this.kept.map((place) => this.links[place]);
      let found = 0;
      other.counted.forEach((place, number) => {
        const link = other.links[place];
        const { source, relation, target } = link;
        const [kind, what] = other.verified[number];
        const name = `${other.name}: counted link ${place}`;
        const knowsBoth = this.known.has(source) && this.known.has(target);
        if (kind === "stated") {
          const one = this.links[what];
          const same = one && one.source === source && one.target === target && one.relation === relation;
          const turned = one && one.source === target && one.target === source && one.relation === converse(relation);
          require(same || turned, `${name}: link ${what} does not state it`);
          found++;
        } else if (kind === "entailed") {
          require(knowsBoth && relation !== ALL, `${name}: it cannot be entailed`);
          require((ALL & ~relation & ~this.reasons.excluded(what, source, target, name)) ===
            0, `${name} is not shown to follow`);
          found++;
        } else {
          require(!stated.has(nameOfLink(source, relation, target)), `${name}: the other side states it`);
          if (kind === "unknown") require(!knowsBoth, `${name}: both entities are known`);
          else if (kind === "vague") require(relation === ALL, `${name} is not vague`);
          else this.checkAgainst(what, keptLinks, link, name);
        }
      });
      return found;
    }
  }

  const ratio = (n, d) => reduced(BigInt(n), BigInt(d));

  function figuresOf(counts, empty) {
    const share = (matched, all) => (all ? ratio(matched, all) : ratio(empty, 1));
    const precision = share(counts.precision_matched, counts.system_total);
    const recall = share(counts.recall_matched, counts.gold_total);
    const sum = plus(precision, recall);
    const product = { n: 2n * precision.n * recall.n, d: precision.d * recall.d };
    const f1 = sum.n === 0n ? ZERO : reduced(product.n * sum.d, product.d * sum.n);
    return { precision, recall, f1 };
  }

  function checkFigures(certificate, counts, figures) {
    for (const name of COUNTS) require(certificate.counts[name] === counts[name], `${name} is ${counts[name]}`);
    for (const [name, { n, d }] of Object.entries(figures)) {
      require(certificate[name].n === n && certificate[name].d === d, `${name} is ${n}/${d}`);
    }
  }

  function checkScore(certificate) {
    const { options } = certificate;
    const countsVague = options.vague === "count";
    const [gold, system] = ["gold", "system"].map((name) => new Side(certificate[name], name, countsVague));
    const refused = options.contradictions === "refuse" && gold.tally["set-aside"] + system.tally["set-aside"] > 0;
    require(!refused, "a link is set aside, and contradictions are refused");
    const counts = {
      system_total: system.counted.length,
      gold_total: gold.counted.length,
      precision_matched: gold.matched(system),
      recall_matched: system.matched(gold),
      system_set_aside: system.tally["set-aside"],
      gold_set_aside: gold.tally["set-aside"],
      system_vague_left_out: countsVague ? 0 : system.tally.vague,
      gold_vague_left_out: countsVague ? 0 : gold.tally.vague,
    };
    checkFigures(certificate, counts, figuresOf(counts, options.empty));
  }

  // --- scores: total -------------------------------------------------------------------------------------------------

  const different =
    (form, least, ...places) =>
    (value, place) => {
      const found = listOf(form, least)(value, place);
      for (const each of places) {
        require(new Set(found.map((entry) => entry[each])).size === found.length, `${place}: one is listed twice`);
      }
      return found;
    };
  const isFileName = (value) => typeof value === "string" && !["", ".", ".."].includes(value) && !/[/\\\0]/.test(value);
  const fileName = check(isFileName, "the name of a file");
  const totalForm = record({
    ...HEAD,
    ...METHOD,
    average: oneOf("micro", "macro"),
    documents: different(tuple(text, fileName, matching(/^[0-9a-f]{64}$/)), 1, 0, 1),
    skipped: listOf(tuple(text, text)),
    ...FIGURES,
  });

  // scoreIn: from the name and digest of a file in the same folder to the score in it, or undefined.
  function checkTotal(certificate, scoreIn) {
    const { options, average, documents } = certificate;
    const counts = Object.fromEntries(COUNTS.map((name) => [name, 0]));
    const sums = { precision: ZERO, recall: ZERO, f1: ZERO };
    for (const [document, name, sha256] of documents) {
      const score = scoreIn(name, sha256);
      require(score && score.claim === "score", `${name} is not the recorded certificate of a score`);
      require(score.gold.document.id === document, `${name} is about another document`);
      const same = Object.entries(options).every(([option, value]) => score.options[option] === value);
      require(same, `${name} has other options`);
      for (const each of COUNTS) counts[each] += score.counts[each];
      for (const each of Object.keys(sums)) sums[each] = plus(sums[each], score[each]);
    }
    const mean = ({ n, d }) => reduced(n, d * BigInt(documents.length));
    const means = Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, mean(sum)]));
    checkFigures(certificate, counts, average === "micro" ? figuresOf(counts, options.empty) : means);
  }

  // A valid score, given the file with its digest: {content, sha256}, or null.
  function scoreFrom(file, sha256) {
    require(file && file.sha256 === sha256, "a score of the total is missing, or is another file");
    const certificate = readCertificate(readJson(decode(file.content)));
    require(certificate.claim === "score", "a file of the total is not a score");
    checkScore(certificate);
    return certificate;
  }

  // --- calendar: constraints are [left, right, seconds, strict], seconds are BigInt ----------------------------------

  const seconds = (value, place) => BigInt(integer(-MOST_SECONDS, MOST_SECONDS)(value, place));
  const constraintForm = tuple(text, text, seconds, boolean);
  const LARGEST_UNIT = 10n ** 9n;
  const calendarForm = record({
    policy: oneOf("within", "document", "exact"),
    hemisphere: oneOf("north", "south", "unknown"),
    zone: orNull(matching(/^[+-](0[0-9]|1[0-4]):[0-5][0-9]$/)),
  });
  const valueForm = record({
    fact: orNull(text),
    entity: text,
    value: text,
    type: orNull(text),
    mod: orNull(text),
    dct: boolean,
    constraints: listOf(constraintForm, 1),
  });
  const timedEdgeForm = tuple(text, text, seconds, boolean, orNull(positionOrValue));
  const nameOf = ([left, right, most, strict]) => JSON.stringify([left, right, String(most), strict]);

  function checkRecords(values, links, query) {
    const named = new Set(links.flatMap((link) => [link.source, link.target]));
    const facts = new Set();
    for (const { entity, fact, type, mod } of values) {
      const name = JSON.stringify([entity, fact]);
      require(!facts.has(name), `the value of ${fact ?? entity} is given twice`);
      facts.add(name);
      if (fact === null) {
        const asked = query && (entity === query.source || entity === query.target);
        require(asked && type === null && mod === null, `${entity} is not a date that was asked about`);
      } else {
        const good = [entity, `${entity}.beginPoint`, `${entity}.endPoint`].includes(fact);
        require(good, `${fact} is not a fact of ${entity}`);
        named.add(entity);
      }
    }
    const clash = values.find(({ entity, fact }) => fact === null && named.has(entity));
    require(!clash, "a date of the query is an entity of the document");
  }

  class Clock {
    constructor(certificate) {
      const { policy, zone } = certificate.calendar;
      this.unit = BigInt(certificate.unit);
      this.trusted = [];
      for (const value of certificate.values) {
        const name = value.fact ?? value.entity;
        const derived = constraintsOf(value, policy, name);
        if (derived === null) {
          require(hasTrustedForm(value), `the constraints of ${name} do not have the form of a calendar unit`);
          this.trusted.push(name);
          continue;
        }
        const [stated, right] = [value.constraints, derived].map((each) => each.map(nameOf).sort().join());
        require(stated === right, `the value of ${name} says something else`);
      }
      let [late, early] = [50400n, 43200n];
      if (zone !== null) {
        late = BigInt(zone.slice(1, 3)) * 3600n + BigInt(zone.slice(4)) * 60n;
        if (zone[0] === "-") late = -late;
        early = -late;
      }
      this.zone = [
        ["@", "@Z", late, false],
        ["@Z", "@", early, false],
      ];
      const points = new Set(certificate.values.flatMap((value) => value.constraints.flatMap(([l, r]) => [l, r])));
      this.hasBothOrigins = points.has("@") && points.has("@Z");
    }

    checkTimes(model, constraints, name) {
      const timeOf = (point) => {
        if (point === "@") return 0n;
        const { entity, end } = /** @type {any} */ (endpoint(point));
        require(model.has(entity), `${name}: no times for ${entity}`);
        return BigInt(model.get(entity)[end]);
      };
      /** @type {any[]} */
      let [least, most] = [null, null]; // of @Z: [time, whether it is excluded]
      for (const [left, right, distance, strict] of [...constraints, ...(this.hasBothOrigins ? this.zone : [])]) {
        const within = distance * this.unit;
        if (left === "@Z") {
          const bound = timeOf(right) - within;
          if (!least || bound > least[0] || (bound === least[0] && strict)) least = [bound, strict];
        } else if (right === "@Z") {
          const bound = timeOf(left) + within;
          if (!most || bound < most[0] || (bound === most[0] && strict)) most = [bound, strict];
        } else {
          const found = timeOf(right) - timeOf(left);
          require(found < within || (found === within && !strict), `${name}: ${left} and ${right} do not fit`);
        }
      }
      if (!least || !most) return;
      require(least[0] < most[0] || (least[0] === most[0] && !least[1] && !most[1]), `${name}: no zone fits`);
    }
  }

  function checkTimedCycle(edges, facts, allowed, clock, name) {
    require(edges.length && isCircle(edges, 0, 1), `${name}: not a circle`);
    const sum = edges.reduce((total, edge) => total + edge[2], 0n);
    require(sum < 0n || (sum === 0n && edges.some((edge) => edge[3])), `${name}: the circle is possible`);
    for (const [left, right, distance, strict, key] of edges) {
      const edge = nameOf([left, right, distance, strict]);
      const where = `${name}: ${left} to ${right}`;
      if (key === null) {
        const own = distance === 0n && isOwnOrder(right, left);
        require(own || clock.zone.some((each) => nameOf(each) === edge), `${where} rests on no fact`);
        continue;
      }
      const fact = facts.get(key);
      require(fact, `${where} rests on a fact that is not in the conflict`);
      if (fact.constraints) {
        require(fact.constraints.some((each) => nameOf(each) === edge), `${where}: the value does not say this`);
      } else {
        let atoms = allowed(key, fact);
        if (fact.source === fact.target) atoms &= EQUAL;
        require(distance === 0n && holdsByLink(right, strict, left, fact, atoms), `${where} does not follow`);
      }
    }
  }

  // --- calendar: what a value says -----------------------------------------------------------------------------------

  const BLANKS = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
  const strip = (written) =>
    (written ?? "").replace(new RegExp(`^${BLANKS}+`), "").replace(new RegExp(`${BLANKS}+$`), "");
  const TRUSTED = [
    /^[0-9]{4}-(SP|SU|FA|WI)$/,
    /^FY[0-9]{4}(-Q[0-9])?$/,
    /^(BC|-)[0-9]{4}$/,
    /^P1WE$/,
    /^[0-9]{4}-([0-9]{2}-[0-9]{2}|W[0-9]{2}-[0-9])T([A-Z]{2}|[0-9X:]+)(Z|[+-][0-9:]{2,5})?$/,
    /^[0-9][0-9X]{3}(-[0-9A-Z]{1,3}){0,2}(T[0-9A-Z:.]+([+-][0-9:]{2,5})?)?$/,
  ];

  // The constraints of a record; null if it is to be trusted.
  function constraintsOf({ fact, entity, value, type, mod, dct }, policy, name) {
    const [written, kind, modifier] = [strip(value), strip(type).toUpperCase(), strip(mod).toUpperCase()];
    const [start, end] = [`${entity}.start`, `${entity}.end`];
    require(kind !== "SET" && modifier !== "APPROX", `the value of ${name} constrains nothing`);
    /** @type {any} */
    const found = written.startsWith("P") ? readLength(written) : readSpan(written);
    require(found || TRUSTED.some((pattern) => pattern.test(written)), `the value of ${name} has an unknown form`);
    if (fact !== null && fact !== entity) {
      const isUnit =
        !(found && found.least !== undefined) && written !== "P1WE" && ["", "START", "MID", "END"].includes(modifier);
      require(isUnit, `the value of ${name} is not a calendar unit`);
      const point = fact === `${entity}.beginPoint` ? start : end;
      return (
        found && [
          [point, found.origin, -found.lo, false],
          [found.origin, point, found.hi, false],
        ]
      );
    }
    if (!found) return null;
    if (found.least === undefined) {
      return fact === null
        ? spanConstraints(start, end, { ...found, firm: true }, "", "exact", false)
        : spanConstraints(start, end, found, modifier, policy, dct);
    }
    require(kind !== "DATE" && kind !== "TIME" && fact !== null, `the value of ${name} is a length`);
    return lengthConstraints(start, end, found, modifier, policy);
  }

  function spanConstraints(s, e, { lo, hi, firm, origin: o }, mod, policy, dct) {
    const inside = [
      [s, o, -lo, false],
      [o, e, hi, false],
    ];
    const borders = [
      [o, s, lo, false],
      [e, o, -hi, false],
    ];
    const isWhole = firm && (policy === "exact" || (policy === "document" && !dct));
    const meanings = {
      BEFORE: [[o, e, policy === "within" ? hi : lo, false]],
      ON_OR_BEFORE: [[o, e, hi, false]],
      AFTER: [[s, o, policy === "within" ? -lo : -hi, false]],
      ON_OR_AFTER: [[s, o, -lo, false]],
      START: inside,
      MID: inside,
      END: inside,
      "": isWhole ? [...inside, ...borders] : inside,
    };
    require(Object.hasOwn(meanings, mod), `${mod} does not go with a date`);
    return meanings[mod];
  }

  function lengthConstraints(s, e, { least, most, above, below }, mod, policy) {
    const stated = [
      [s, e, most, false],
      [e, s, -least, false],
    ];
    const rounded = [
      [s, e, below, true],
      [e, s, -above, true],
    ];
    const meanings = {
      LESS_THAN: [[s, e, most, true]],
      EQUAL_OR_LESS: [[s, e, most, false]],
      MORE_THAN: [[e, s, -least, true]],
      EQUAL_OR_MORE: [[e, s, -least, false]],
      "": policy === "within" ? rounded : stated,
    };
    require(Object.hasOwn(meanings, mod), `${mod} does not go with a length`);
    return meanings[mod];
  }

  function hasTrustedForm({ fact, entity, value, constraints }) {
    const [start, end] = [`${entity}.start`, `${entity}.end`];
    const between = (left, right, x, y) => (left === x && right === y) || (left === y && right === x);
    if (strip(value) === "P1WE") return constraints.every(([left, right]) => between(left, right, start, end));
    const own = fact === null || fact === entity ? [start, end] : fact === `${entity}.beginPoint` ? [start] : [end];
    const fits = ([left, right, , strict], origin) =>
      !strict && own.some((point) => between(left, right, point, origin));
    return ["@", "@Z"].some((origin) => constraints.every((constraint) => fits(constraint, origin)));
  }

  // --- calendar: days from 1970-01-01 as numbers, seconds as BigInt --------------------------------------------------

  const DAY = 86400;
  const isLeap = (year) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const lengthOfMonth = (year, month) =>
    month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;

  function newYear(year) {
    const past = year - 1;
    return 365 * past + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400) - 719162;
  }

  function firstOfMonth(year, month) {
    if (month === 13) return newYear(year + 1);
    let day = newYear(year);
    for (let each = 1; each < month; each++) day += lengthOfMonth(year, each);
    return day;
  }

  function mondayOfWeek1(year) {
    const fourth = newYear(year) + 3;
    const weekday = (((fourth + 3) % 7) + 7) % 7; // 0 is Monday: 1970-01-01 was a Thursday
    return fourth - weekday;
  }

  function exists(condition) {
    require(condition, "there is no such time");
  }

  // The first day of a unit and the day after it; null if the form is unknown.
  function readDate(written) {
    const form = (pattern) => {
      const found = pattern.exec(written);
      return found?.slice(1).map(Number);
    };
    let found;
    if ((found = form(/^([0-9]{3})$/))) return [newYear(found[0] * 10), newYear(found[0] * 10 + 10)];
    if ((found = form(/^([0-9]{2})$/))) return [newYear(found[0] * 100), newYear(found[0] * 100 + 100)];
    if (!/^[0-9]{4}/.test(written)) return null;
    const year = Number(written.slice(0, 4));
    const rest = written.slice(4);
    const part = (pattern) => {
      const parts = pattern.exec(rest);
      if (parts) exists(year >= 1);
      return parts;
    };
    if (part(/^$/)) return [newYear(year), newYear(year + 1)];
    /** @type {[RegExp, number][]} */
    const partsOfYear = [
      [/^-([0-9]{2})$/, 1],
      [/^-Q([0-9])$/, 3],
      [/^-H([0-9])$/, 6],
    ];
    for (const [pattern, months] of partsOfYear) {
      if ((found = part(pattern))) {
        const number = Number(found[1]);
        exists(1 <= number && number <= 12 / months);
        return [firstOfMonth(year, months * (number - 1) + 1), firstOfMonth(year, months * number + 1)];
      }
    }
    if ((found = part(/^-([0-9]{2})-([0-9]{2})$/))) {
      const [month, day] = [Number(found[1]), Number(found[2])];
      exists(1 <= month && month <= 12 && 1 <= day && day <= lengthOfMonth(year, month));
      const first = firstOfMonth(year, month) + day - 1;
      return [first, first + 1];
    }
    if ((found = part(/^-W([0-9]{2})(?:-([0-9]|WE))?$/))) {
      const monday = mondayOfWeek1(year) + 7 * (Number(found[1]) - 1);
      exists(Number(found[1]) >= 1 && monday < mondayOfWeek1(year + 1));
      if (found[2] === undefined) return [monday, monday + 7];
      if (found[2] === "WE") return [monday + 5, monday + 7];
      const weekday = Number(found[2]);
      exists(1 <= weekday && weekday <= 7);
      return [monday + weekday - 1, monday + weekday];
    }
    return null;
  }

  const CLOCK = /^([0-9]{2})(?::([0-9]{2})(?::([0-9]{2})(\.[0-9]+)?)?)?(Z|([+-])([0-9]{2})(?::?([0-9]{2}))?)?$/;

  function span(lo, hi, firm, origin) {
    return { lo: BigInt(lo), hi: BigInt(hi), firm, origin };
  }

  function readSpan(written) {
    const cut = written.indexOf("T");
    const date = cut < 0 ? written : written.slice(0, cut);
    const days = readDate(date);
    if (!days) return null;
    if (cut < 0) return span(days[0] * DAY, days[1] * DAY, true, "@");
    const found = CLOCK.exec(written.slice(cut + 1));
    if (!found || !/^[0-9]{4}-([0-9]{2}-[0-9]{2}|W[0-9]{2}-[0-9])$/.test(date)) return null;
    const [, hour, minute, second, fraction, zone, sign, zoneHours, zoneMinutes] = found;
    const numbers = [hour, minute, second].filter((each) => each !== undefined).map(Number);
    exists(numbers[0] <= 24 && numbers.slice(1).every((each) => each < 60));
    exists(numbers[0] < 24 || (numbers.slice(1).every((each) => each === 0) && fraction === undefined));
    const [ahead, minutesAhead] = [Number(zoneHours ?? 0), Number(zoneMinutes ?? 0)];
    exists(ahead <= 14 && minutesAhead < 60);
    const sizes = [3600, 60, 1];
    const offset = (ahead * 3600 + minutesAhead * 60) * (sign === "-" ? -1 : 1);
    const lo = days[0] * DAY + numbers.reduce((sum, each, index) => sum + each * sizes[index], 0) - offset;
    return span(lo, lo + sizes[numbers.length - 1], fraction === undefined, zone === undefined ? "@" : "@Z");
  }

  // Lengths count in millionths, because numbers have up to six digits after the full stop.
  const MILLION = 1000000n;
  const N = "([0-9]{1,6}(?:\\.[0-9]{1,6})?)";
  const PERIOD = new RegExp(
    `^P(?=[0-9T])(?:${N}Y)?(?:${N}M)?(?:${N}W)?(?:${N}D)?(?:T(?=[0-9])(?:${N}H)?(?:${N}M)?(?:${N}S)?)?$`,
  );
  const SIZES = [
    [12n, 0n],
    [1n, 0n],
    [0n, 604800n],
    [0n, 86400n],
    [0n, 3600n],
    [0n, 60n],
    [0n, 1n],
  ];
  const MANY_MONTHS = new RegExp(`^P${N}(Q|DE|E|CE|C|ML|L)$`);
  const MONTHS_OF = { Q: 3n, DE: 120n, E: 120n, C: 1200n, CE: 1200n, L: 12000n, ML: 12000n };

  function millionths(written) {
    const [whole, fraction = ""] = written.split(".");
    return BigInt(whole) * MILLION + BigInt(fraction.padEnd(6, "0"));
  }

  function readLength(written) {
    let parts; // [millionths, [months, seconds] of one]
    const many = MANY_MONTHS.exec(written);
    if (many) {
      parts = [[millionths(many[1]), [MONTHS_OF[many[2]], 0n]]];
    } else {
      const found = PERIOD.exec(written);
      if (!found) return null;
      parts = SIZES.map((size, index) => [found[index + 1], size])
        .filter(([number]) => number !== undefined)
        .map(([number, size]) => [millionths(number), size]);
    }
    exists(parts.some(([number]) => number > 0n));
    const withLast = (change) =>
      parts.map(([number, size], index) => [index === parts.length - 1 ? change(number) : number, size]);
    const smaller = withLast((number) => (number > MILLION ? number - MILLION : 0n));
    const larger = withLast((number) => number + MILLION);
    return { least: shortest(parts), most: longest(parts), above: shortest(smaller), below: longest(larger) };
  }

  function total(parts, which, daysOfPart) {
    const months = parts.reduce((sum, [number, size]) => sum + number * size[0], 0n);
    const rest = parts.reduce((sum, [number, size]) => sum + number * size[1], 0n);
    const whole = months / MILLION;
    return rest + 86400n * (BigInt(daysOfMonths(whole)[which]) * MILLION + daysOfPart * (months - whole * MILLION));
  }

  const shortest = (parts) => total(parts, 0, 28n) / MILLION;
  const longest = (parts) => (total(parts, 1, 31n) + MILLION - 1n) / MILLION;

  const CYCLE = 4800;
  /** @type {number[] | undefined} */
  let firsts; // the first days of the months of two cycles

  // The fewest and the most days of so many months in a row.
  function daysOfMonths(count) {
    if (!firsts) {
      firsts = [0];
      for (let month = 0; month < 2 * CYCLE; month++) {
        firsts.push(firsts[month] + lengthOfMonth(2000 + Math.floor(month / 12), (month % 12) + 1));
      }
    }
    const rest = Number(count % BigInt(CYCLE));
    let [fewest, most] = [Infinity, 0];
    for (let month = 0; month < CYCLE; month++) {
      const days = firsts[month + rest] - firsts[month];
      fewest = Math.min(fewest, days);
      most = Math.max(most, days);
    }
    const days = (count / BigInt(CYCLE)) * 146097n;
    return [days + BigInt(fewest), days + BigInt(most)];
  }

  // --- main: reports -------------------------------------------------------------------------------------------------

  const written = ({ n, d }) => (d === 1n ? `${n}` : `${n}/${d}`);

  function reportOfScore(certificate) {
    const { metric, options, counts } = certificate;
    const figures = ["precision", "recall", "f1"].map((name) => [name, written(certificate[name])]);
    return { metric, options, ...Object.fromEntries(figures), counts };
  }

  function reportOf(certificate, trusted) {
    const { claim, calendar } = certificate;
    if (claim === "total") {
      const { average, documents, skipped } = certificate;
      const total = { ...NOTHING, valid: true, claim, dropped: 0, ...reportOfScore(certificate) };
      return { ...total, average, documents: documents.length, skipped };
    }
    const about = claim === "score" ? certificate.gold : certificate;
    const { id, format, reading, sha256, dropped = [] } = about.document;
    const report = {
      ...NOTHING,
      valid: true,
      claim,
      document: id,
      format,
      reading,
      links: about.links.length,
      dropped: dropped.length,
      sha256,
    };
    if (claim === "score") {
      const { document, links } = certificate.system;
      report.dropped += (document.dropped ?? []).length;
      const { id, format, reading, sha256 } = document;
      return { ...report, ...reportOfScore(certificate), system: { id, format, reading, sha256, links: links.length } };
    }
    const dated = calendar ? { ...report, calendar: calendar.policy, trusted } : report;
    const { weight, bound } = certificate;
    const isOpen = claim === "repair" && bound && isLess(bound, weight);
    return isOpen ? { ...dated, weight: written(weight), bound: written(bound) } : dated;
  }

  /**
   * Check a certificate: bytes, or its text. Does not throw. `folder`: from the name of a file beside the
   * certificate to {content, sha256}, or null; only totals, and proofs in files, need it.
   * @param {Uint8Array | string} content
   * @param {((name: string) => {content: Uint8Array, sha256: string} | null) | null} folder
   */
  function checkCertificate(content, folder = null) {
    beside = folder ?? (() => null);
    try {
      const certificate = readCertificate(readJson(typeof content === "string" ? content : decode(content)));
      return reportOf(certificate, checkClaim(certificate, folder));
    } catch (error) {
      if (error instanceof Rejection) return { ...NOTHING, valid: false, reason: error.message };
      return { ...NOTHING, reason: `the checker failed: ${error.message}` }; // too large for this machine, or a bug
    }
  }

  const NOTHING = {
    valid: null,
    claim: null,
    document: null,
    reason: null,
    format: null,
    reading: null,
    links: null,
    dropped: null,
    sha256: null,
  };

  // The verdict in one line.
  function sentence(found) {
    if (found.valid === null) return found.reason;
    if (!found.valid) return `rejected: ${found.reason}`;
    const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
    const leftOut = [];
    if (found.dropped) leftOut.push(count(found.dropped, "unreadable link"));
    if (found.skipped?.length) leftOut.push(count(found.skipped.length, "skipped document"));
    const without = leftOut.length ? `, without ${leftOut.join(" and ")}` : "";
    const optimal = found.bound ? `weighs ${found.weight}, and every repair at least ${found.bound}` : "is optimal";
    const said = {
      closure: `the closure of ${found.document} is right and complete`,
      decode: `the labels of ${found.document} are optimal`,
      repair: `the repair of ${found.document} ${optimal}`,
      score: `the score of ${found.document} is right`,
      total: "the total score is right",
    };
    const figures = found.metric ? `: P ${found.precision}, R ${found.recall}, F1 ${found.f1}` : "";
    const words = said[found.claim] ?? `${found.document} is ${found.claim}`;
    return `valid${without}: ${words}${figures} (${madeFrom(found, count)})`;
  }

  function madeFrom(found, count) {
    const documents = count(found.documents, "document");
    if (found.claim === "total") return `${found.metric}, ${found.average} average of ${documents}`;
    const calendar = found.calendar ? `calendar ${found.calendar}, ` : "";
    const side = ({ links, format, reading, sha256 }) =>
      `${count(links, "link")}, ${calendar}format ${format}, label set ${reading}, ` +
      (sha256 === null ? "not bound to a file" : `sha256 ${sha256}`);
    if (found.claim === "score") return `${found.metric}; gold: ${side(found)}; system: ${side(found.system)}`;
    const trusted = found.trusted?.length
      ? `; trusted, not worked out again: the values of ${found.trusted.join(", ")}`
      : "";
    return side(found) + trusted;
  }

  return { check: checkCertificate, sentence, NOTHING };
})();

// --- main: Node.js -------------------------------------------------------------------------------------------------

const USAGE = `usage: node checker.js [--output table|json] CERTIFICATE...
       node checker.js --lines

Check certificates of Temporacle: files, or folders with .json files. Exit code 0: all hold. 1: one does not.
3: one could not be opened, the others hold. 2: nothing could be opened, or wrong usage.
--lines: each line of standard input is the content of one certificate in base64; one JSON object is printed for each.`;

function main(words) {
  const fs = require("node:fs");
  const path = require("node:path");
  const LARGEST_FILE = 256 * 1024 * 1024;

  function lines() {
    const input = require("node:readline").createInterface({ input: process.stdin });
    input.on("line", (line) => {
      process.stdout.write(`${JSON.stringify(TemporacleChecker.check(Buffer.from(line, "base64")))}\n`);
    });
  }

  function files(name) {
    if (!fs.existsSync(name) || !fs.statSync(name).isDirectory()) return [name];
    const found = fs.readdirSync(name, { recursive: true }).map((each) => path.join(name, each));
    return found.filter((each) => each.endsWith(".json")).sort();
  }

  function contentOf(name, most = LARGEST_FILE) {
    const about = fs.statSync(name);
    if (!about.isFile()) throw new Error("not a regular file");
    if (about.size > most) throw new Error("larger than 256 MiB");
    return fs.readFileSync(name);
  }

  function checked(name) {
    let content;
    try {
      content = contentOf(name);
    } catch (error) {
      return { certificate: name, ...TemporacleChecker.NOTHING, reason: `cannot be opened: ${error.message}` };
    }
    const beside = (file) => {
      try {
        const found = contentOf(
          path.join(path.dirname(name), file),
          file.endsWith(".proof.jsonl") ? Infinity : LARGEST_FILE,
        );
        return { content: found, sha256: require("node:crypto").createHash("sha256").update(found).digest("hex") };
      } catch {
        return null;
      }
    };
    return { certificate: name, ...TemporacleChecker.check(content, beside) };
  }

  if (words.length === 1 && words[0] === "--lines") return lines();
  let output = "table";
  const names = [];
  for (let index = 0; index < words.length; index++) {
    if (words[index] === "--output") output = words[++index];
    else names.push(words[index]);
  }
  if (!["table", "json"].includes(output) || !names.length || names.some((name) => name.startsWith("--"))) {
    console.error(USAGE);
    process.exitCode = 2;
    return;
  }
  const verdicts = new Set();
  for (const name of names.flatMap(files)) {
    const found = checked(name);
    verdicts.add(found.valid);
    const line = output === "json" ? JSON.stringify(found) : `${name}: ${TemporacleChecker.sentence(found)}`;
    if (found.valid === null && output !== "json") console.error(line);
    else console.log(line);
  }
  process.exitCode = verdicts.has(false) ? 1 : !verdicts.has(true) ? 2 : verdicts.has(null) ? 3 : 0;
}

if (typeof module !== "undefined") {
  module.exports = TemporacleChecker;
  if (require.main === module) main(process.argv.slice(2));
}
