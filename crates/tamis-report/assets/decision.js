// The decision: a rule with a threshold, who is chosen by it, and how many of these are expected to be wrong.

const decision = (data) => {
  const n = data.names.length;
  const column = (key) => (key === "rank" ? data.rank : data.columns.find((c) => c.key === key)?.values);
  const kept = new Set(data.kept);
  const listeners = [];
  const state = {
    own: true, // as the method decided
    rule: data.rules[0] ?? null,
    value: data.rules[0]?.start ?? 0,
    chosen: new Uint8Array(n),
    count: 0,
  };

  const choose = () => {
    state.chosen.fill(0);
    if (state.own || !state.rule) {
      for (const i of data.selected) state.chosen[i] = 1;
    } else {
      const values = column(state.rule.column);
      const above = state.rule.test === "above";
      for (let i = 0; i < n; i++) {
        const v = values[i];
        if (v !== null && (above ? v > state.value : v <= state.value)) state.chosen[i] = 1;
      }
      for (const i of kept) state.chosen[i] = 1;
    }
    state.count = state.chosen.reduce((sum, c) => sum + c, 0);
  };

  // Expected false discoveries among those chosen; a kept feature is no discovery.
  const sentence = () => {
    const discovered = state.count - [...kept].filter((i) => state.chosen[i]).length;
    const { rule, value } = state;
    if (!rule) return "There is no evidence of any effect, so there is nothing to decide.";
    if (rule.errors === "sum") {
      const p = column("probability");
      let [wrong, missed] = [0, 0];
      for (let i = 0; i < n; i++) {
        if (p[i] === null || kept.has(i)) continue;
        if (state.chosen[i]) wrong += 1 - p[i];
        else missed += p[i];
      }
      const share = discovered ? ` (${number((100 * wrong) / discovered, 1)} %)` : "";
      return `Expected false discoveries: ${number(wrong, 1)} of ${count(discovered)}${share}. Expected effects among the rest: ${number(missed, 1)}.`;
    }
    if (rule.errors === "share")
      return `Expected false discoveries: at most ${number(value * discovered, 1)} of ${count(discovered)}, if the null is right.`;
    if (rule.errors === "each") {
      const tested = column(rule.column).filter((v) => v !== null).length;
      return `Expected false discoveries: up to ${number(value * tested, 1)}, if none of ${count(tested)} features had an effect and the null were right.`;
    }
    if (rule.errors === "any") return `The chance of even one false discovery is at most ${number(value, 3)}, if the null is right.`;
    return "This method has no probabilities: it cannot say how many of these are false discoveries.";
  };

  const announce = () => {
    choose();
    for (const listener of listeners) listener(state);
  };

  const build = (parent) => {
    const total = el("output", { class: "count", id: "count" });
    const words = el("p", { class: "words", id: "expected", "aria-live": "polite" });
    const slider = el("input", { type: "range", id: "slider" });
    const exact = el("input", { type: "number", id: "exact", "aria-label": "threshold" });
    const reset = el("button", { type: "button", id: "own", class: "small" }, "As the method decided");
    const title = el("label", { for: "slider" });
    const picker =
      data.rules.length > 1
        ? el("select", { id: "rule", "aria-label": "rule" }, ...data.rules.map((r, i) => el("option", { value: i }, r.label)))
        : null;
    const arrange = () => {
      const { from, to, step } = state.rule;
      for (const input of [slider, exact]) Object.assign(input, { min: from, max: to, step });
      exact.step = state.rule.column === "rank" ? 1 : "any";
      if (state.rule.column === "rank") exact.max = n;
      title.textContent = picker ? "Choose features with" : `Choose features with ${state.rule.label}`;
      if (state.rule.column === "rank") title.textContent = "Choose the first by rank:";
    };
    const set = (value) => {
      if (!isNumber(value)) return;
      state.value = value;
      state.own = false;
      announce();
    };
    listeners.push(() => {
      total.textContent = `${count(state.count)} of ${count(n)} chosen`;
      words.textContent = sentence();
      reset.disabled = state.own;
      if (document.activeElement !== slider || state.own) slider.value = state.value;
      if (document.activeElement !== exact || state.own) exact.value = +state.value.toFixed(6);
      slider.setAttribute("aria-valuetext", `${state.value}: ${total.textContent}`);
    });
    if (!state.rule) {
      parent.append(el("div", { class: "panel" }, total, words));
      return;
    }
    slider.addEventListener("input", () => set(+slider.value));
    exact.addEventListener("input", () => exact.value !== "" && set(+exact.value));
    reset.addEventListener("click", () => {
      state.own = true;
      state.rule = data.rules[0];
      state.value = state.rule.start;
      if (picker) picker.value = 0;
      arrange();
      announce();
    });
    picker?.addEventListener("change", () => {
      state.rule = data.rules[+picker.value];
      arrange();
      set(state.rule.start);
    });
    arrange();
    parent.append(
      el("div", { class: "panel" }, el("div", { class: "control" }, title, picker, slider, exact, reset), el("div", {}, total, words)),
    );
  };

  return { state, build, announce, listen: (f) => listeners.push(f), column };
};
