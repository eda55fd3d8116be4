// The table of features: sorted, searched, a page at a time.

const PAGE = 50;

const featureTable = (data, decided, picked) => {
  const n = data.names.length;
  const lower = data.names.map((name) => name.toLowerCase());
  const heads = [{ key: "rank", head: "rank", title: "1 is the best", values: data.rank, digits: 0 }, { key: "name", head: "feature", title: "as in the file", values: data.names, text: true }].concat(
    data.columns.map((c) => {
      const partner = c.key === "with" || c.key === "partner";
      return { ...c, text: partner || c.key === "kind", values: partner ? c.values.map((i) => (i === null ? null : data.names[i])) : c.values };
    }),
  );
  const view = { sort: null, down: false, search: "", only: false, page: 0, order: [] };
  const { state } = decided;
  const table = document.getElementById("table");
  const body = table.tBodies[0];
  const place = document.getElementById("pages");

  // Chosen ones first, each in the order of ranks, until the reader sorts by a column.
  const sorted = (shown) => {
    const byRank = (a, b) => data.rank[a] - data.rank[b] || a - b;
    if (!view.sort) return shown.sort((a, b) => state.chosen[b] - state.chosen[a] || byRank(a, b));
    const { values, text } = view.sort;
    const way = view.down ? -1 : 1;
    const collate = new Intl.Collator("en", { numeric: true }).compare;
    return shown.sort((a, b) => {
      const [x, y] = [values[a], values[b]];
      if (x === null || y === null) return (x === null) - (y === null) || byRank(a, b);
      return way * (text ? collate(x, y) : x - y) || byRank(a, b);
    });
  };

  const find = () => {
    const wanted = view.search.trim().toLowerCase();
    const shown = [];
    for (let i = 0; i < n; i++) if ((!view.only || state.chosen[i]) && (!wanted || lower[i].includes(wanted))) shown.push(i);
    view.order = sorted(shown);
    const pages = Math.max(1, Math.ceil(shown.length / PAGE));
    view.page = Math.min(view.page, pages - 1);
  };

  const row = (i) => {
    const cells = heads.map(({ key, values, digits, text }) => {
      if (key === "name") return el("th", { scope: "row", title: clean(data.names[i]), "data-feature": i }, brief(data.names[i], 48));
      if (key === "rank") return el("td", {}, String(data.rank[i]));
      if (text) return el("td", { class: "text" }, values[i] === null ? "" : brief(values[i], 32));
      return el("td", {}, number(values[i], digits));
    });
    return el("tr", { class: state.chosen[i] ? "chosen" : "" }, el("td", { class: "mark", "aria-label": state.chosen[i] ? "chosen" : "not chosen" }, state.chosen[i] ? "●" : ""), ...cells);
  };

  if (data.values) {
    table.classList.add("picks");
    body.addEventListener("click", (e) => {
      const name = e.target.closest("th[data-feature]");
      if (!name) return;
      picked.pick(+name.dataset.feature);
      document.getElementById("one").scrollIntoView({ block: "nearest" });
    });
  }

  const status = el("p", { id: "shown", "aria-live": "polite" });
  const back = el("button", { type: "button", class: "small", onclick: () => turn(-1) }, "Previous");
  const next = el("button", { type: "button", class: "small", id: "next", onclick: () => turn(1) }, "Next");

  const show = () => {
    const from = view.page * PAGE;
    const part = view.order.slice(from, from + PAGE);
    body.replaceChildren(...part.map(row));
    const all = view.order.length;
    status.textContent = all === 0 ? "No feature matches" : `${count(from + 1)}–${count(from + part.length)} of ${plural(all, "feature")}`;
    back.disabled = view.page === 0;
    next.disabled = from + PAGE >= all;
  };
  const update = () => {
    find();
    show();
  };
  const turn = (by) => {
    view.page += by;
    show();
  };

  const headRow = el("tr", {}, el("th", { scope: "col", class: "mark" }, el("span", { class: "away" }, "chosen")));
  for (const column of heads) {
    const th = el("th", { scope: "col", "aria-sort": "none", class: column.text ? "text" : "" });
    const button = el("button", { type: "button", title: column.title, "data-key": column.key }, column.head, el("span", { class: "arrow", "aria-hidden": "true" }));
    button.addEventListener("click", () => {
      // Names and small numbers that matter (rank, p) go up first; the rest go down.
      const up = ["rank", "name", "with", "partner", "kind", "p", "p_value", "adjusted", "q_value", "cluster"].includes(column.key);
      view.down = view.sort === column ? !view.down : !up;
      view.sort = column;
      view.page = 0;
      for (const other of headRow.querySelectorAll("th[aria-sort]")) other.setAttribute("aria-sort", "none");
      th.setAttribute("aria-sort", view.down ? "descending" : "ascending");
      update();
    });
    th.append(button);
    headRow.append(th);
  }
  table.tHead.replaceChildren(headRow);

  const search = el("input", { type: "search", id: "search", placeholder: "Search names", "aria-label": "Search names", spellcheck: "false" });
  search.addEventListener("input", () => {
    view.search = search.value;
    view.page = 0;
    update();
  });
  const only = el("input", { type: "checkbox", id: "only" });
  only.addEventListener("change", () => {
    view.only = only.checked;
    view.page = 0;
    update();
  });
  const names = () => {
    const chosen = [];
    for (let i = 0; i < n; i++) if (state.chosen[i]) chosen.push(i);
    return chosen.sort((a, b) => data.rank[a] - data.rank[b]).map((i) => data.names[i]);
  };
  const said = el("span", { class: "said", role: "status" });
  const say = (text) => {
    said.textContent = text;
    setTimeout(() => (said.textContent = ""), 3000);
  };
  const copyButton = el("button", { type: "button", class: "small", id: "copy" }, "Copy names");
  copyButton.addEventListener("click", async () => {
    const done = await copy(names().map(cell).join("\n"));
    say(done ? `${plural(state.count, "name")} copied` : "The browser does not allow copying");
  });
  const saveButton = el("button", { type: "button", class: "small", id: "save" }, "Save names");
  saveButton.addEventListener("click", () => download("chosen.csv", "feature\r\n" + names().map(cell).join("\r\n") + "\r\n"));
  document.getElementById("tools").append(search, el("label", { class: "check" }, only, "only chosen"), copyButton, saveButton, said);
  place.append(back, status, next);
  decided.listen(update);
  return { search: (text) => { search.value = text; search.dispatchEvent(new Event("input")); }, names };
};
