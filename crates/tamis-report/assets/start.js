// Everything begins here.

const start = () => {
  const data = JSON.parse(document.getElementById("data").textContent);
  if (data.kind === "evaluate") {
    drawEvaluation(data);
  } else {
    const decided = decision(data);
    decided.build(document.getElementById("decision"));
    const table = featureTable(data, decided);
    drawFeatures(data, decided, table);
    if (document.querySelector("#fit")) drawFit(data);
    if (data.npfs) drawNpfs(data, decided);
    if (data.pairs) drawPairs(data);
    if (data.machines.length) drawMachines(data);
    decided.announce();
  }
  new ResizeObserver(refit).observe(document.body);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  addEventListener("beforeprint", () => { document.documentElement.classList.add("paper"); refit(); recolour(); });
  addEventListener("afterprint", () => { document.documentElement.classList.remove("paper"); refit(); recolour(); });
  document.documentElement.dataset.ready = "yes";
};

start();
