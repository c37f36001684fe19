"use strict";
(() => {
  const table = document.getElementById("questions");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const controls = document.getElementById("controls");
  const shown = document.getElementById("shown");
  const inputs = [...controls.querySelectorAll("select, input")];

  const filter = () => {
    const [type, place, words] = inputs.map((input) => input.value);
    const wanted = words.trim().toLowerCase();
    let count = 0;
    for (const row of rows) {
      const fits = (!type || row.dataset.type === type) && (!place || row.dataset.place === place)
        && (!wanted || row.cells[0].textContent.toLowerCase().includes(wanted));
      row.hidden = !fits;
      count += fits;
    }
    shown.textContent = `${count.toLocaleString("en")} of ${rows.length.toLocaleString("en")} questions`;
  };

  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent.toLowerCase() : Number(cell.dataset.value);
  };

  const sort = (header) => {
    const falling = header.getAttribute("aria-sort") !== "descending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", falling ? "descending" : "ascending");
    const column = header.cellIndex;
    const sign = falling ? -1 : 1;
    const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    rows.sort((a, b) => sign * order(value(a, column), value(b, column)));
    body.append(...rows);
  };

  for (const header of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    button.addEventListener("click", () => sort(header));
    header.append(button);
  }
  for (const input of inputs) input.addEventListener("input", filter);
  controls.hidden = false;
  filter();
})();
