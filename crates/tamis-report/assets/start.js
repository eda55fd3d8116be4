// Everything begins here.

// Pixels across a sheet, less its margins.
const PAPER = 690;

// A section that cannot be drawn says so and leaves the others alone.
const safely = (id, draw) => {
  try {
    draw();
  } catch (error) {
    console.error(error);
    document.querySelector(`#${id} .figures`).append(el("p", {}, "This part cannot be drawn from the file."));
  }
};

const start = () => {
  const data = JSON.parse(document.getElementById("data").textContent);
  if (data.kind === "evaluate") {
    safely("evaluate", () => drawEvaluation(data));
  } else {
    const decided = decision(data);
    decided.build(document.getElementById("decision"));
    const picked = picking();
    const table = featureTable(data, decided, picked);
    const shared = { data, decided, table, picked };
    drawFeatures(shared);
    if (data.volcano) safely("features", () => drawVolcano(shared));
    if (data.values) safely("features", () => drawValues(shared));
    if (document.querySelector("#fit")) safely("fit", () => drawFit(data));
    if (data.needed) safely("needed", () => drawNeeded(data));
    if (data.npfs) safely("npfs", () => drawNpfs(data, decided));
    if (data.pairs) safely("pairs", () => drawPairs(data));
    if (data.machines.length) safely("machines", () => drawMachines(data));
    decided.announce();
  }
  new ResizeObserver(() => refit()).observe(document.body);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  addEventListener("beforeprint", () => { document.documentElement.classList.add("paper"); refit(PAPER); recolour(); });
  addEventListener("afterprint", () => { document.documentElement.classList.remove("paper"); refit(); recolour(); });
  document.documentElement.dataset.ready = "yes";
};

start();
